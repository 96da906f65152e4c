import type { ClaimedUnit } from '@loom/shared/work';
import { afterEach, expect, test } from 'vitest';
import { createUnitKeeper, type UnitKeeper } from './unit-keeper.ts';

let keeper: UnitKeeper | null = null;
afterEach(() => keeper?.close());

/** A keeper whose leases last so long that it never has to ask the database. */
function openKeeper(): UnitKeeper {
  const unused = null as never;
  keeper = createUnitKeeper({ db: unused, lease_seconds: 3_600, logger: unused });
  return keeper;
}

function unit(unit_id: string, overrides: Partial<ClaimedUnit> = {}): ClaimedUnit {
  return {
    unit_id,
    epoch: 1,
    queue: 'subtasks',
    tenant_id: 'default',
    task_id: 'task_1',
    subtask_id: 'a',
    attempt: 1,
    session_id: null,
    turn_id: null,
    metered: false,
    ...overrides,
  };
}

const heard = ({ signals }: ReturnType<UnitKeeper['hold']>) => ({
  stop: signals.stop.aborted,
  abort: signals.abort.aborted,
  drain: signals.drain.aborted,
});
const nothing = { stop: false, abort: false, drain: false };

test('a stop reaches the units of its tasks and turns, and no others', () => {
  const { hold, stop } = openKeeper();
  const mine = hold(unit('a'));
  const turn = hold(unit('turn_1', { task_id: null, turn_id: 'turn_1' }));
  const other = hold(unit('b', { task_id: 'task_2' }));
  stop(['task_1', 'turn_1'], 'cancel');
  expect(heard(mine)).toEqual({ ...nothing, stop: true });
  expect(heard(turn)).toEqual({ ...nothing, stop: true });
  expect(heard(other)).toEqual(nothing);
  stop(['task_2'], 'abort');
  expect(heard(other)).toEqual({ ...nothing, stop: true, abort: true });
  expect(other.lost()).toBe(false);
});

test('a lost lock makes one handler give its unit back; the unit itself is not lost', () => {
  const { hold, yield: giveBack } = openKeeper();
  const mine = hold(unit('a'));
  const other = hold(unit('b'));
  giveBack('a');
  giveBack('unknown');
  expect(heard(mine)).toEqual({ ...nothing, abort: true });
  expect(mine.lost()).toBe(false);
  expect(heard(other)).toEqual(nothing);
});

test('draining is heard by all, also by those who come later', () => {
  const { hold, drain, abortAll } = openKeeper();
  const before = hold(unit('a'));
  drain();
  const after = hold(unit('b'));
  expect([heard(before).drain, heard(after).drain]).toEqual([true, true]);
  abortAll('the grace period is over');
  expect([heard(before).abort, heard(after).abort]).toEqual([true, true]);
});

test('idle once everything is dropped, and an old claim does not drop a newer one', async () => {
  const { hold, drop, idle } = openKeeper();
  await idle();
  hold(unit('a'));
  hold(unit('a', { epoch: 2 }));
  let isIdle = false;
  const waiting = idle().then(() => {
    isIdle = true;
  });
  drop(unit('a'));
  await Promise.resolve();
  expect(isIdle).toBe(false);
  drop(unit('a', { epoch: 2 }));
  await waiting;
});
