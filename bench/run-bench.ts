import { parseArgs } from 'node:util';
import { errorMessage } from '@loom/shared/app-error';
import { runFileEnd } from '@loom/testing/file-end';
import { measureChatDelay } from './chat-delay.ts';
import { measureIdleMemory } from './idle-memory.ts';
import { measureLongConversations } from './long-conversations.ts';
import type { Measurement } from './measurement.ts';
import { measureRecallSearch } from './recall-search.ts';
import { describeMachine, makeReport, type Report, renderReport } from './report.ts';
import { measureTaskOverhead } from './task-overhead.ts';
import { measureThroughput } from './throughput.ts';
import { measureToolOverhead } from './tool-overhead.ts';
import { measureWindowAssembling } from './window-assembling.ts';

const parts: { part: string; name: string; measure: () => Promise<Measurement[]> }[] = [
  { part: 'a', name: 'throughput on redis', measure: () => measureThroughput('redis') },
  { part: 'a', name: 'throughput on postgres', measure: () => measureThroughput('postgres') },
  { part: 'b', name: 'a lone task on redis', measure: () => measureTaskOverhead('redis') },
  { part: 'b', name: 'a lone task on postgres', measure: () => measureTaskOverhead('postgres') },
  { part: 'c', name: 'chat on redis', measure: () => measureChatDelay('redis') },
  { part: 'c', name: 'chat on postgres', measure: () => measureChatDelay('postgres') },
  { part: 'd', name: 'recall', measure: measureRecallSearch },
  { part: 'e', name: 'idle memory', measure: measureIdleMemory },
  { part: 'f', name: 'tools', measure: measureToolOverhead },
  { part: 'g', name: 'long chats on redis', measure: () => measureLongConversations('redis') },
  {
    part: 'g',
    name: 'long chats on postgres',
    measure: () => measureLongConversations('postgres'),
  },
  { part: 'g', name: 'windows of a long chat', measure: measureWindowAssembling },
];

/** Measures the parts that are asked for, all unless told otherwise, and prints what it found. */
export async function runBench(args: string[]): Promise<void> {
  const { json, only } = parseArgs({
    args,
    options: { json: { type: 'boolean' }, only: { type: 'string' } },
  }).values;
  const wanted = only?.split(',').map((letter) => letter.trim());
  const unknown = wanted?.filter((letter) => !parts.some(({ part }) => part === letter)) ?? [];
  if (unknown.length > 0) {
    process.stderr.write(`--only takes a, b, c, d, e, f, g; not ${unknown.join(', ')}\n`);
    process.exitCode = 2;
    return;
  }
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupted = true;
      void interrupt();
    });
  }

  const machine = describeMachine();
  const began = performance.now();
  const measurements: Measurement[] = [];
  const failures: Report['failures'] = [];
  for (const { part, name, measure } of parts) {
    if (wanted !== undefined && !wanted.includes(part)) continue;
    process.stderr.write(`(${part}) ${name} …\n`);
    try {
      measurements.push(...(await measure()));
    } catch (error) {
      failures.push({ part, reason: `${name}: ${errorMessage(error)}` });
    }
    if (interrupted) return;
    await runFileEnd();
  }
  const seconds = (performance.now() - began) / 1_000;
  const report = makeReport({ machine, measurements, failures, seconds });
  process.stdout.write(`${json ? JSON.stringify(report, null, 2) : renderReport(report)}\n`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

async function interrupt(): Promise<void> {
  process.stderr.write('Interrupted: stopping what was started …\n');
  await runFileEnd();
  process.exit(130);
}
