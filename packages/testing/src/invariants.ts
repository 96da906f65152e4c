import type { Client } from './api-client.ts';
import type { EffectRecorder } from './effect-recorder.ts';
import { awaitExtractions } from './invariants/await-extractions.ts';
import { brokenConstraints } from './invariants/broken-constraints.ts';
import { brokenLogs } from './invariants/broken-logs.ts';
import { differingTranscripts } from './invariants/differing-transcripts.ts';
import { leftoverJobs, type QueueCounts } from './invariants/leftover-jobs.ts';
import { mismatchedReplays } from './invariants/mismatched-replays.ts';
import { repeatedEffects } from './invariants/repeated-effects.ts';
import { unfinishedWork } from './invariants/unfinished-work.ts';
import { findOrphans } from './processes/find-orphans.ts';
import { processMarker } from './processes.ts';
import type { TestDatabase } from './test-database.ts';
import type { Transcript } from './transcript.ts';

/** What there is to check; a cluster can be spread into it. */
export interface InvariantInputs {
  database: TestDatabase;
  /** An admin's client: replays are checked through it, and queues unless `queueCounts` is given. */
  client?: Client;
  queueCounts?: QueueCounts;
  recorder?: EffectRecorder;
  transcripts?: Transcript[];
  /** Processes that may still run, and the directory that no other process may work in. */
  processes?: { pid: number }[];
  workspaces?: string;
}

/**
 * Fails, naming every violation, unless what must hold after any fault holds:
 * all work ended, effects happened once, logs, streams and replays agree, nothing is left over.
 */
export async function checkInvariants(inputs: InvariantInputs): Promise<void> {
  const { database, client, recorder, transcripts, processes } = inputs;
  await awaitExtractions(database);
  const counts = inputs.queueCounts ?? (client && (() => client.queueCounts()));
  const checks: Promise<string[]>[] = [
    unfinishedWork(database),
    brokenLogs(database),
    brokenConstraints(database),
    ...(counts ? [leftoverJobs(counts)] : []),
    ...(recorder ? [repeatedEffects(database, recorder.seen())] : []),
    ...(transcripts ? [differingTranscripts(database, transcripts)] : []),
    ...(client ? [mismatchedReplays(database, client)] : []),
    ...(processes
      ? [
          findOrphans({
            marker: processMarker,
            directory: inputs.workspaces,
            except: processes.map((running) => running.pid),
          }).then((found) => found.map((line) => `orphan process ${line}`)),
        ]
      : []),
  ];
  const violations = (await Promise.all(checks)).flat();
  if (violations.length > 0) {
    throw new Error(`invariants broken:\n${violations.map((line) => `- ${line}`).join('\n')}`);
  }
}
