import { type NewEvent, terminalTaskEvents } from '@loom/shared/events';
import type { QueueName, Ring } from '@loom/shared/queues';
import { isTerminalTask } from '@loom/shared/statuses';
import type { DecideTask } from '@loom/shared/task-state';
import type { ClaimedUnit, TaskChange, TaskChangeResult } from '@loom/shared/work';
import type pg from 'pg';
import { lockScopes, writeScopes } from './budget-scopes.ts';
import type { Database } from './database.ts';
import { insertDeliveries, type NewDelivery } from './deliveries/insert-deliveries.ts';
import { taskDelivery } from './deliveries/task-delivery.ts';
import { type GatherRules, gatherChange, isMetered, toClaimed } from './gather-changes.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { endedAttempts, insertExtractions } from './memory/insert-extractions.ts';
import { loadPolicies } from './policies.ts';
import { emptyBatch, type TaskBatch, type TaskWork } from './task-batch.ts';
import { loadSubtasks, lockTasks, lockUnits, toTaskState } from './task-rows.ts';
import { tellSessions } from './tell-sessions.ts';
import { inTransaction } from './transaction.ts';
import { ownerOfUnit } from './unit-ids.ts';
import { wakeUnits, writeApprovals } from './write-approvals.ts';
import { writeTaskBatch } from './write-task-batch.ts';

/** What is left to do once a set is true. */
export interface AfterCommit {
  rings: Ring[];
  /** Tasks and sessions whose logs grew. */
  streams: string[];
  /** Units that were claimed for this process in the same statement. */
  claimed: ClaimedUnit[];
  /** Tasks, or single subtasks of them, whose running work is to stop. */
  stopped: { id: string; mode: 'cancel' | 'abort' }[];
}

interface CommittedChanges {
  results: TaskChangeResult[];
  /** What the changes added to the tasks' logs. */
  events: NewEvent[];
  after: AfterCommit;
}

interface TaskCommitterOptions {
  db: Database;
  decide: DecideTask;
  owner: string;
  lease_seconds: number;
  max_starts: number;
  /** Whether what a subtask taught is extracted once it has ended. */
  extracts?: boolean;
  reserve(queue: QueueName): boolean;
  unreserve(queue: QueueName): void;
  after(commit: AfterCommit): void | Promise<void>;
}

export type TaskCommitter = GroupCommit<TaskChange, TaskChangeResult>;

/** The one way in which tasks change: sets of changes, decided by the engine under their row locks. */
export function createTaskCommitter(options: TaskCommitterOptions): TaskCommitter {
  const flush = async (changes: TaskChange[]): Promise<TaskChangeResult[]> => {
    const reserved: QueueName[] = [];
    const rules: GatherRules = {
      decide: options.decide,
      max_starts: options.max_starts,
      reserve: (queue) => options.reserve(queue) && reserved.push(queue) > 0,
      unreserve: (queue) => {
        reserved.splice(reserved.indexOf(queue), 1);
        options.unreserve(queue);
      },
    };
    try {
      const { results, after } = await inTransaction(options.db, async (client, commit) => {
        for (const queue of reserved.splice(0)) options.unreserve(queue);
        return commitChanges(client, changes, rules, options, commit);
      });
      await options.after(after);
      return results;
    } catch (error) {
      for (const queue of reserved) options.unreserve(queue);
      throw error;
    }
  };
  return createGroupCommit(flush, ({ task_id }) => task_id);
}

/** Decides and writes changes inside the caller's transaction; a gateway claims nothing for itself. */
export function commitTaskInput(
  client: pg.ClientBase,
  change: TaskChange,
  decide: DecideTask,
  options: Pick<TaskCommitterOptions, 'extracts'> = {},
): Promise<CommittedChanges> {
  const rules = { decide, max_starts: 1, reserve: () => false, unreserve: () => undefined };
  return commitChanges(client, [change], rules, { owner: '', lease_seconds: 0, ...options }, null);
}

async function commitChanges(
  client: pg.ClientBase,
  changes: TaskChange[],
  rules: GatherRules,
  lease: Pick<TaskCommitterOptions, 'owner' | 'lease_seconds' | 'extracts'>,
  /** Ends the transaction along with the last write; null when more is to follow. */
  commit: (() => Promise<void>) | null,
): Promise<CommittedChanges> {
  const batch = await loadBatch(client, changes);
  const results = changes.map((change) => gatherChange(batch, change, rules));
  const written = Promise.all([
    writeTaskBatch(client, batch, { owner: lease.owner, seconds: lease.lease_seconds }),
    writeScopes(client, batch.scopes),
    writeApprovals(client, batch),
  ]);
  const woken = wakeUnits(client, batch);
  const delivered = insertDeliveries(client, [...batch.tasks.values()].flatMap(deliveryOf));
  const ends =
    lease.extracts === true
      ? [...batch.tasks.values()].flatMap(({ row, events }) => endedAttempts(row, events))
      : [];
  const extracted = insertExtractions(client, ends);
  const watched = [...batch.tasks.values()].filter(
    ({ row, events }) => row.session_id !== null && events.length > 0,
  );
  const ended = watched.length === 0 ? commit?.() : undefined;
  const [told, rings] = await Promise.all([
    tellSessions(client, watched),
    Promise.all([woken, delivered, extracted]),
    written,
    ended,
  ]);
  return {
    results,
    events: [...batch.tasks.values()].flatMap(({ events }) => events),
    after: {
      rings: [...batch.rings, ...told.rings, ...rings.flat()],
      streams: [...grownTasks(batch), ...told.sessions],
      claimed: batch.newUnits
        .filter(({ status }) => status === 'claimed')
        .map((unit) => {
          const queue = unit.queue as QueueName;
          const work = batch.tasks.get(unit.task_id);
          const metered = work !== undefined && isMetered(work);
          return toClaimed({ ...unit, queue, epoch: 1, turn_id: null }, metered);
        }),
      stopped: [...batch.tasks.values()].flatMap(stopsOf),
    },
  };
}

function stopsOf({ row, state, events, stopped }: TaskWork): AfterCommit['stopped'] {
  const skipped = stopped.map((id) => ({ id: `${row.id}.${id}`, mode: 'abort' as const }));
  const asked = events.some(({ type }) => type === 'task.cancel_requested');
  if (state.cancel_mode === null || !asked) return skipped;
  return [...skipped, { id: row.id, mode: state.cancel_mode }];
}

/** Whoever asked to be called when the task ends is called. */
function deliveryOf({ row, state, events }: TaskWork): NewDelivery[] {
  if (!events.some(({ type }) => terminalTaskEvents.includes(type))) return [];
  const told = taskDelivery({ ...row, ...state }, new Date(row.now));
  return told === null ? [] : [told];
}

async function loadBatch(client: pg.ClientBase, changes: TaskChange[]): Promise<TaskBatch> {
  const batch = emptyBatch();
  // A change that only adds to a journal decides nothing, so it needs no subtasks.
  const deciding = changes.filter(
    (change) => change.kind !== 'work' || change.input !== null || change.wants !== null,
  );
  // Sent together, carried out in this order: tasks are locked before anything of them is read.
  const [rows, units, subtasks] = await Promise.all([
    lockTasks(client, taskIdsOf(changes)),
    lockUnits(client, unitIdsOf(changes)),
    loadSubtasks(client, taskIdsOf(deciding)),
  ]);
  // Hardly any task has one, so that this is mostly left out.
  const limited = [...rows.values()].filter((row) => row.limited);
  const policyOf = await loadPolicies(
    client,
    [...rows.values()].map(({ policy_id }) => policy_id),
  );
  batch.units = units;
  batch.scopes = limited.length === 0 ? [] : await lockScopes(client, limited);
  for (const row of rows.values()) {
    const state = toTaskState(row, subtasks.get(row.id) ?? [], policyOf(row.policy_id));
    batch.tasks.set(row.id, {
      row,
      state,
      before: new Map(state.subtasks.map((subtask) => [subtask.id, subtask])),
      scopes: batch.scopes.filter(({ id }) => id === row.session_id || id === row.tenant_id),
      events: [],
      ended: isTerminalTask(state.status),
      withdraw: 'none',
      wake: { paused: false, attempts: [] },
      stopped: [],
    });
  }
  return batch;
}

function taskIdsOf(changes: TaskChange[]): string[] {
  return [...new Set(changes.map(({ task_id }) => task_id))];
}

function unitIdsOf(changes: TaskChange[]): string[] {
  const ids = changes.flatMap((change) => {
    if (change.kind === 'claim') return [change.unit_id];
    return change.kind === 'work' ? [change.fence.unit_id] : [];
  });
  return [...new Set(ids)];
}

function grownTasks(batch: TaskBatch): string[] {
  return [...batch.tasks.values()]
    .filter(({ events }) => events.length > 0)
    .map(({ row }) => row.id);
}

/** The claim of a job's unit, as a change. */
export function claimChange(unit_id: string, epoch: number): TaskChange | null {
  const owner = ownerOfUnit(unit_id);
  return owner.kind === 'task' ? { kind: 'claim', task_id: owner.task_id, unit_id, epoch } : null;
}
