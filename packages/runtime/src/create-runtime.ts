import { hostname } from 'node:os';
import { type AfterCommit, createTaskCommitter, type TaskCommitter } from '@loom/db/commit-tasks';
import type { Database } from '@loom/db/database';
import { decideTask } from '@loom/engine/decide-task';
import type { QueueBackend } from '@loom/queue/queue-backend';
import { createRinger, type Ringer } from '@loom/queue/ringer';
import type { Config } from '@loom/shared/config';
import { newId } from '@loom/shared/ids';
import type { Logger } from '@loom/shared/logger';
import type { QueueName } from '@loom/shared/queues';
import type { WakeBus } from '@loom/shared/wake';
import type { ClaimedUnit } from '@loom/shared/work';
import { createSlots, type Slots } from './slots.ts';
import { createUnitKeeper, type UnitKeeper } from './unit-keeper.ts';

/** What the parts of one process share: its name, its places, its way to commit and to ring. */
export interface Runtime {
  id: string;
  host: string;
  db: Database;
  backend: QueueBackend;
  bus: WakeBus;
  ringer: Ringer;
  committer: TaskCommitter;
  keeper: UnitKeeper;
  slots: Slots;
  config: Config;
  logger: Logger;
  /** Rings and wakes for what a transaction made true. */
  announce(commit: Omit<AfterCommit, 'claimed'>): void;
  /** Set by the worker: runs a unit that was claimed in a commit. */
  onClaimed(run: (unit: ClaimedUnit) => void): void;
  close(): Promise<void>;
}

interface RuntimeOptions {
  db: Database;
  backend: QueueBackend;
  bus: WakeBus;
  config: Config;
  logger: Logger;
  /** How many units of each queue this process takes; none for a gateway. */
  capacities: Partial<Record<QueueName, number>>;
}

export function createRuntime(options: RuntimeOptions): Runtime {
  const { db, backend, bus, config, logger } = options;
  const id = newId('wrk');
  const slots = createSlots(options.capacities);
  const ringer = createRinger(backend, logger);
  const { lease_seconds, max_starts } = config.execution;
  const keeper = createUnitKeeper({ db, lease_seconds, logger });
  let runClaimed: ((unit: ClaimedUnit) => void) | null = null;
  let closing = false;

  const announce = ({ rings, streams, stopped }: Omit<AfterCommit, 'claimed'>): void => {
    ringer.ring(rings);
    if (streams.length > 0) bus.publish({ kind: 'streams', ids: streams });
    for (const { id, mode } of stopped) bus.publish({ kind: 'stop', ids: [id], mode });
  };

  const committer = createTaskCommitter({
    db,
    decide: decideTask,
    owner: id,
    lease_seconds,
    max_starts,
    extracts: config.memory.extraction_enabled,
    reserve: (queue) => runClaimed !== null && !closing && slots.tryTake(queue),
    unreserve: slots.give,
    after: (commit) => {
      announce(commit);
      for (const unit of commit.claimed) runClaimed?.(unit);
    },
  });
  const unsubscribe = bus.subscribe((wake) => {
    if (wake.kind === 'stop') keeper.stop(wake.ids, wake.mode);
  });

  return {
    id,
    host: hostname(),
    db,
    backend,
    bus,
    ringer,
    committer,
    keeper,
    slots,
    config,
    logger,
    announce,
    onClaimed: (run) => {
      runClaimed = run;
    },
    close: async () => {
      closing = true;
      unsubscribe();
      await committer.idle();
      keeper.close();
      await ringer.close();
    },
  };
}
