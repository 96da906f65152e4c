import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { serviceRoles } from '@loom/shared/queues';
import type { Measurement } from './measurement.ts';
import { startServers } from './private-servers.ts';
import { startProduct } from './product-process.ts';

const idleMs = 10_000;
/** No service calls it while it is idle. */
const model_url = 'http://127.0.0.1:9/v1';

/** (e) Memory of each service with nothing to do, on Redis and Postgres. */
export async function measureIdleMemory(): Promise<Measurement[]> {
  const servers = await startServers('redis');
  const services = [];
  for (const role of serviceRoles) {
    services.push(await startProduct(role, { ...servers, model_url }));
  }
  await delay(idleMs);
  const measured = await Promise.all(
    services.map(async ({ name, pid }): Promise<Measurement> => {
      const memory = await readMemory(pid);
      return {
        part: 'e',
        name: `idle memory, ${name}`,
        value: memory.rss_mb,
        unit: 'MB',
        target: { at_most: 120 },
        detail: { pss_mb: memory.pss_mb },
      };
    }),
  );
  await Promise.all(services.map((service) => service.stop()));
  await servers.stop();
  return measured;
}

/** Resident memory, and its proportional part where pages are shared with other processes. */
async function readMemory(pid: number): Promise<{ rss_mb: number; pss_mb: number }> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN) / 1_024;
  return { rss_mb: megabytes('Rss'), pss_mb: megabytes('Pss') };
}
