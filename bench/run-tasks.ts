import { setTimeout as delay } from 'node:timers/promises';
import { countStatements } from './count-statements.ts';
import { percentile } from './percentile.ts';
import type { TaskClient } from './task-client.ts';

const openTasks = 64;
const warmUpMs = 3_000;
const measuredMs = 10_000;

export interface TaskRate {
  tasks_per_s: number;
  p50_ms: number;
  p95_ms: number;
  /** What this process sent to Postgres a task: the product's statements, and BullMQ's. */
  statements: { own: number; queue: number };
}

/** Keeps so many tasks open for a while, then counts those that end in the measured time. */
export async function runTasks(client: TaskClient): Promise<TaskRate> {
  let latencies: number[] = [];
  let over = false;
  const lane = async (): Promise<void> => {
    while (!over) latencies.push(await client.run());
  };
  const lanes = Promise.all(Array.from({ length: openTasks }, lane));
  await Promise.race([delay(warmUpMs), lanes]);

  latencies = [];
  const before = countStatements();
  const began = performance.now();
  await Promise.race([delay(measuredMs), lanes]);
  const seconds = (performance.now() - began) / 1_000;
  const after = countStatements();
  const measured = latencies;
  latencies = [];
  over = true;
  await lanes;
  const count = measured.length;
  return {
    tasks_per_s: count / seconds,
    p50_ms: percentile(measured, 0.5),
    p95_ms: percentile(measured, 0.95),
    statements: {
      own: (after.own - before.own) / count,
      queue: (after.queue - before.queue) / count,
    },
  };
}
