import type { TaskCommitter } from '@loom/db/commit-tasks';
import { nothingSpent } from '@loom/shared/budget';
import type { ModelRequest, ModelRole } from '@loom/shared/chat';
import type { NewEvent } from '@loom/shared/events';
import { faultPoint } from '@loom/shared/fault-point';
import type { TaskChange, WorkSigns } from '@loom/shared/work';
import type { Hold, UnitSignals } from './unit-keeper.ts';
import { LostUnit, UnitYield } from './unit-yield.ts';

type WorkChange = Extract<TaskChange, { kind: 'work' }>;

/** What a worker adds to its task's unit; whatever is left out adds nothing. */
export type UnitWork = Partial<Omit<WorkChange, 'kind' | 'task_id' | 'fence'>>;

/** A handler's grip on its unit. */
export interface UnitContext {
  signals: UnitSignals;
  /** A boundary: throws when the unit was lost or the process wants it back. */
  checkpoint(): void;
  /**
   * Adds to the unit's task; with `input` the unit is finished, with `park` it gives its worker
   * back, and the handler returns. Throws when it is not owned any more.
   */
  commit(work: UnitWork): Promise<WorkSigns>;
  /** Notes each repeated try of a model call; the next commit tells of them. */
  noteRetry(role: ModelRole): NonNullable<ModelRequest['on_retry']>;
}

export function createUnitContext(hold: Hold, committer: TaskCommitter): UnitContext {
  const { unit, signals } = hold;
  let retries: NewEvent[] = [];
  return {
    signals,
    noteRetry: (role) => (retry) => {
      retries.push({ type: 'model.retry', data: { role, ...retry } });
    },
    checkpoint() {
      if (hold.lost()) throw new LostUnit(unit.unit_id);
      if (signals.drain.aborted || (signals.abort.aborted && !signals.stop.aborted)) {
        throw new UnitYield('the process is ending');
      }
    },
    async commit(work) {
      const events = [...retries, ...(work.events ?? [])];
      retries = [];
      const result = await committer.add({
        kind: 'work',
        task_id: unit.task_id ?? '',
        fence: { unit_id: unit.unit_id, epoch: unit.epoch },
        journal: [],
        journal_from: 0,
        ledger: [],
        spent: nothingSpent,
        actions: [],
        wants: null,
        model: null,
        input: null,
        park: null,
        ...work,
        events,
      });
      if (result.outcome !== 'applied') throw new LostUnit(unit.unit_id);
      faultPoint('journal.after');
      const { outcome: _, ...signs } = result;
      return signs;
    },
  };
}
