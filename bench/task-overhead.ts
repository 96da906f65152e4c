import { workerRoles } from '@loom/shared/queues';
import type { Measurement } from './measurement.ts';
import { openRoles } from './open-roles.ts';
import { percentile } from './percentile.ts';
import { type BackendKind, startServers } from './private-servers.ts';
import { createTaskClient } from './task-client.ts';

const model = { delay_ms: 200, subtasks: 5, synthesis: true };
/** The plan, the parts side by side, what puts them together. */
const idealMs = 3 * model.delay_ms;
const warmUps = 2;
const tasks = 20;

/** (b) What a lone task takes longer than its three model calls in a row. */
export async function measureTaskOverhead(kind: BackendKind): Promise<Measurement[]> {
  const servers = await startServers(kind);
  const opened = await openRoles({ ...servers, roles: [...workerRoles], model });
  const client = await createTaskClient(opened.foundation, { gap_ms: 0 });
  const latencies: number[] = [];
  for (let task = 0; task < warmUps + tasks; task++) {
    const took = await client.run();
    if (task >= warmUps) latencies.push(took);
  }
  client.close();
  await opened.stop();
  await servers.stop();
  const p50 = percentile(latencies, 0.5);
  return [
    {
      part: 'b',
      name: `overhead of a lone task, ${kind}`,
      value: (p50 / idealMs - 1) * 100,
      unit: '%',
      target: { at_most: 4 },
      detail: { p50_ms: p50, p95_ms: percentile(latencies, 0.95), ideal_ms: idealMs },
    },
  ];
}
