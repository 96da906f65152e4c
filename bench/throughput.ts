import { workerRoles } from '@loom/shared/queues';
import type { Measurement } from './measurement.ts';
import { concurrency, openRoles } from './open-roles.ts';
import { type BackendKind, startServers } from './private-servers.ts';
import { measureRawQueue } from './raw-queue.ts';
import { runTasks, type TaskRate } from './run-tasks.ts';
import { createTaskClient } from './task-client.ts';
import { startWorkerProcess } from './worker-process.ts';

const model = { delay_ms: 0, subtasks: 8, synthesis: false };
/** A plan, eight subtasks, eight verifications. */
const unitsPerTask = 17;
const targets: Record<BackendKind, number> = { redis: 100, postgres: 40 };
/** How often the client looks for ends under load: often enough to be in time, and no load itself. */
const gap_ms = 20;

/** (a) Durable tasks a second with a model that answers at once, beside what the queue alone does. */
export async function measureThroughput(kind: BackendKind): Promise<Measurement[]> {
  const { rate, raw } = await inOneProcess(kind);
  const apart = await inThreeProcesses(kind);
  return [
    {
      part: 'a',
      name: `throughput, ${kind}, one process`,
      value: rate.tasks_per_s,
      unit: 'tasks/s',
      target: { at_least: targets[kind] },
      detail: {
        ...describeRate(rate, raw),
        statements_per_task: rate.statements.own,
        bullmq_statements_per_task: rate.statements.queue,
      },
    },
    {
      part: 'a',
      name: `throughput, ${kind}, a process a role`,
      value: apart.tasks_per_s,
      unit: 'tasks/s',
      detail: describeRate(apart, raw),
    },
    { part: 'a', name: `BullMQ alone, ${kind}, no-op jobs`, value: raw, unit: 'jobs/s' },
  ];
}

function describeRate({ tasks_per_s, p50_ms, p95_ms }: TaskRate, raw: number) {
  const units_per_s = tasks_per_s * unitsPerTask;
  return { units_per_s, p50_ms, p95_ms, units_to_raw_jobs: units_per_s / raw };
}

/** All workers and the client together, as in `loom up`. */
async function inOneProcess(kind: BackendKind): Promise<{ rate: TaskRate; raw: number }> {
  const servers = await startServers(kind);
  const opened = await openRoles({ ...servers, roles: [...workerRoles], model });
  const client = await createTaskClient(opened.foundation, { gap_ms });
  const rate = await runTasks(client);
  client.close();
  const raw = await measureRawQueue(opened.foundation.backend, concurrency);
  await opened.stop();
  await servers.stop();
  return { rate, raw };
}

/** One process a role, the client in this one: every step goes through the queue. */
async function inThreeProcesses(kind: BackendKind): Promise<TaskRate> {
  const { stop, ...servers } = await startServers(kind);
  const base = { ...servers, model };
  const opened = await openRoles({ ...base, roles: [] });
  const workers = await Promise.all(
    workerRoles.map((role) => startWorkerProcess({ ...base, roles: [role] })),
  );
  const client = await createTaskClient(opened.foundation, { gap_ms });
  const rate = await runTasks(client);
  client.close();
  await Promise.all(workers.map((worker) => worker.stop()));
  await opened.stop();
  await stop();
  return rate;
}
