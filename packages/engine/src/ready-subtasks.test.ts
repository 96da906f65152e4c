import { emptyTrail } from '@loom/shared/task-course';
import { describe, expect, it } from 'vitest';
import {
  isHeldBack,
  isWritable,
  pickStartable,
  readySubtasks,
  unreachableSubtasks,
} from './ready-subtasks.ts';
import { subtaskOf } from './test-support/task-fixtures.ts';

const now = 1_000_000;
const ids = (list: { id: string }[]) => list.map(({ id }) => id);

describe('readySubtasks', () => {
  it('gives pending subtasks whose dependencies are all completed', () => {
    const ready = readySubtasks([
      subtaskOf('done', { status: 'completed' }),
      subtaskOf('busy', { status: 'running' }),
      subtaskOf('free'),
      subtaskOf('next', {}, { depends_on: ['done'] }),
      subtaskOf('later', {}, { depends_on: ['done', 'busy'] }),
      subtaskOf('broken', { status: 'failed' }),
    ]);
    expect(ids(ready)).toEqual(['free', 'next']);
  });

  it('keeps a synthesis back until every other subtask is completed', () => {
    const synthesis = subtaskOf('sum', {}, { is_synthesis: true, depends_on: ['a'] });
    const a = subtaskOf('a', { status: 'completed' });
    expect(ids(readySubtasks([synthesis, a, subtaskOf('b', { status: 'verifying' })]))).toEqual([]);
    expect(ids(readySubtasks([synthesis, a, subtaskOf('b', { status: 'completed' })]))).toEqual([
      'sum',
    ]);
  });

  it('lets two syntheses go at once, as neither waits for the other', () => {
    const one = subtaskOf('one', {}, { is_synthesis: true });
    const two = subtaskOf('two', {}, { is_synthesis: true });
    expect(ids(readySubtasks([one, two]))).toEqual(['one', 'two']);
  });
});

describe('unreachableSubtasks', () => {
  it('finds what waits for a lost subtask, through any number of steps, with its reason', () => {
    const found = unreachableSubtasks([
      subtaskOf('third', {}, { depends_on: ['second'] }),
      subtaskOf('second', {}, { depends_on: ['first', 'fine'] }),
      subtaskOf('first', { status: 'failed' }),
      subtaskOf('fine', { status: 'running' }),
      subtaskOf('free'),
    ]);
    expect(ids(found.map(({ subtask }) => subtask)).sort()).toEqual(['second', 'third']);
    expect(found.find(({ subtask }) => subtask.id === 'second')?.reason).toBe(
      'waits for first, which will not complete',
    );
  });

  it.each(['failed', 'skipped', 'blocked'] as const)(
    'gives a synthesis up when any other subtask is %s',
    (status) => {
      const found = unreachableSubtasks([
        subtaskOf('sum', {}, { is_synthesis: true }),
        subtaskOf('a', { status }),
      ]);
      expect(ids(found.map(({ subtask }) => subtask))).toEqual(['sum']);
    },
  );

  it('finds nothing while everything can still complete', () => {
    const waiting = subtaskOf('b', {}, { depends_on: ['a'] });
    expect(unreachableSubtasks([subtaskOf('a', { status: 'running' }), waiting])).toEqual([]);
  });
});

describe('pickStartable', () => {
  it('fills the task up to its cap, counting whatever is active', () => {
    const { start } = pickStartable(
      [
        subtaskOf('queued', { status: 'queued' }),
        subtaskOf('running', { status: 'running' }),
        subtaskOf('verifying', { status: 'verifying' }),
        subtaskOf('completed', { status: 'completed' }),
        subtaskOf('a'),
        subtaskOf('b'),
        subtaskOf('c'),
      ],
      5,
      now,
    );
    expect(ids(start)).toEqual(['a', 'b']);
  });

  it('defers a second writer of a deliverable, however its path is written', () => {
    const paths = ['docs/a.md', './docs//a.md', 'docs/x/../a.md', '/docs/a.md'];
    const { start, deferred } = pickStartable(
      paths.map((path, index) => subtaskOf(`w${index}`, {}, { deliverables: [path] })),
      5,
      now,
    );
    expect(ids(start)).toEqual(['w0']);
    expect(ids(deferred)).toEqual(['w1', 'w2', 'w3']);
  });

  it('defers behind a writer that is already active, verifying included', () => {
    const { start, deferred } = pickStartable(
      [
        subtaskOf('busy', { status: 'verifying' }, { deliverables: ['a.md'] }),
        subtaskOf('same', {}, { deliverables: ['b.md', 'a.md'] }),
        subtaskOf('other', {}, { deliverables: ['c.md'] }),
      ],
      5,
      now,
    );
    expect(ids(start)).toEqual(['other']);
    expect(ids(deferred)).toEqual(['same']);
  });

  it('does not count a subtask as deferred when there was no place for it anyway', () => {
    const { deferred } = pickStartable(
      [
        subtaskOf('busy', { status: 'running' }, { deliverables: ['a.md'] }),
        subtaskOf('same', {}, { deliverables: ['a.md'] }),
      ],
      1,
      now,
    );
    expect(deferred).toEqual([]);
  });

  it('keeps back what a person paused and what is not due yet, without taking a place for it', () => {
    const held = { trail: { ...emptyTrail, held: true } };
    const early = { trail: { ...emptyTrail, not_before: now + 1 } };
    const due = { trail: { ...emptyTrail, not_before: now } };
    const { start, deferred } = pickStartable(
      [
        subtaskOf('held', held),
        subtaskOf('early', early),
        subtaskOf('due', due),
        subtaskOf('free'),
        subtaskOf('more'),
      ],
      2,
      now,
    );
    expect(ids(start)).toEqual(['due', 'free']);
    expect(deferred).toEqual([]);
    expect(isHeldBack(subtaskOf('held', held), now)).toBe(true);
    expect(isHeldBack(subtaskOf('due', due), now)).toBe(false);
  });

  it('starts no writer beside an attempt that the plan left behind: what it writes is not known', () => {
    const superseded = { status: 'running', trail: { ...emptyTrail, superseded: true } } as const;
    const { start } = pickStartable(
      [
        subtaskOf('stale', superseded),
        subtaskOf('writer', {}, { deliverables: ['a.md'] }),
        subtaskOf('reader'),
      ],
      5,
      now,
    );
    expect(ids(start)).toEqual(['reader']);
  });
});

describe('isWritable', () => {
  it('says whether nobody active promises one of the same files', () => {
    const writer = subtaskOf('writer', {}, { deliverables: ['docs/a.md'] });
    const other = subtaskOf('other', {}, { deliverables: ['b.md'] });
    expect(isWritable(writer, [other])).toBe(true);
    expect(isWritable(writer, [other, subtaskOf('c', {}, { deliverables: ['./docs/a.md'] })])).toBe(
      false,
    );
  });
});
