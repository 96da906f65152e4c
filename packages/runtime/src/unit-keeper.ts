import type { Database } from '@loom/db/database';
import { renewLeases } from '@loom/db/leases';
import type { Logger } from '@loom/shared/logger';
import type { ClaimedUnit } from '@loom/shared/work';

/** What a handler hears while it works on a unit. */
export interface UnitSignals {
  /** Stop now: the unit is lost, the task was aborted, or the process must end. */
  abort: AbortSignal;
  /** Stop at the next boundary and say so: someone cancelled the task or the turn. */
  stop: AbortSignal;
  /** Give the unit back at the next boundary: the process wants to end. */
  drain: AbortSignal;
}

export interface Hold {
  unit: ClaimedUnit;
  signals: UnitSignals;
  /** True once the unit was found to belong to someone else. */
  lost(): boolean;
}

interface Held {
  hold: Hold;
  abort: AbortController;
  stop: AbortController;
  lost: boolean;
  renewedAt: number;
}

/** Keeps the leases of this process's units alive, and tells their handlers when to stop. */
export interface UnitKeeper {
  hold(unit: ClaimedUnit): Hold;
  drop(unit: ClaimedUnit): void;
  /** Passes a stop on to the units of these tasks and turns, or of single subtasks (`<task>.<subtask>`). */
  stop(ids: string[], mode: 'cancel' | 'abort'): void;
  /** Makes a handler give its unit back now. */
  yield(unitId: string): void;
  drain(): void;
  abortAll(reason: string): void;
  /** Resolves once nothing is held. */
  idle(): Promise<void>;
  close(): void;
}

export function createUnitKeeper(options: {
  db: Database;
  lease_seconds: number;
  logger: Logger;
}): UnitKeeper {
  const held = new Map<string, Held>();
  const draining = new AbortController();
  let idlers: (() => void)[] = [];
  const leaseMs = options.lease_seconds * 1_000;

  const lose = (one: Held, reason: string): void => {
    one.lost = true;
    one.abort.abort(new Error(reason));
  };

  const renew = async (): Promise<void> => {
    const mine = [...held.values()];
    if (mine.length === 0) return;
    const startedAt = Date.now();
    try {
      const fences = mine.map(({ hold }) => hold.unit);
      const kept = await renewLeases(options.db, fences, options.lease_seconds);
      for (const one of mine) {
        if (kept.has(one.hold.unit.unit_id)) one.renewedAt = startedAt;
        else if (held.get(one.hold.unit.unit_id) === one) lose(one, 'the lease was lost');
      }
    } catch (err) {
      options.logger.warn({ err }, 'leases not renewed');
    }
  };

  // Neither a frozen process nor an unreachable database says that a lease ran out: its age does.
  const expire = (): void => {
    for (const one of held.values()) {
      if (Date.now() - one.renewedAt > leaseMs) lose(one, 'the lease could not be renewed in time');
    }
  };

  let renewing = false;
  const timer = setInterval(() => {
    expire();
    if (renewing) return;
    renewing = true;
    void renew().finally(() => {
      renewing = false;
    });
  }, leaseMs / 3);

  return {
    hold(unit) {
      const abort = new AbortController();
      const stop = new AbortController();
      const signals = { abort: abort.signal, stop: stop.signal, drain: draining.signal };
      const one: Held = {
        hold: { unit, signals, lost: () => one.lost },
        abort,
        stop,
        lost: false,
        renewedAt: Date.now(),
      };
      held.set(unit.unit_id, one);
      return one.hold;
    },
    drop(unit) {
      if (held.get(unit.unit_id)?.hold.unit.epoch === unit.epoch) held.delete(unit.unit_id);
      if (held.size > 0) return;
      for (const resolve of idlers) resolve();
      idlers = [];
    },
    stop(ids, mode) {
      for (const one of held.values()) {
        const { queue, task_id, subtask_id, turn_id } = one.hold.unit;
        // A delivery tells of a task that has ended: nothing that is asked of the task concerns it.
        if (queue === 'deliveries') continue;
        const names = [task_id ?? '', turn_id ?? '', `${task_id}.${subtask_id}`];
        if (!names.some((name) => ids.includes(name))) continue;
        one.stop.abort(new Error('stopped'));
        if (mode === 'abort') one.abort.abort(new Error('aborted'));
      }
    },
    yield(unitId) {
      held.get(unitId)?.abort.abort(new Error('the lock of the job was lost'));
    },
    drain: () => draining.abort(new Error('draining')),
    abortAll(reason) {
      for (const one of held.values()) one.abort.abort(new Error(reason));
    },
    idle: () =>
      held.size === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve)),
    close: () => clearInterval(timer),
  };
}
