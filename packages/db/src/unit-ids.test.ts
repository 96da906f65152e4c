import { planSubtaskSchema } from '@loom/shared/plan';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extractionId, ownerOfUnit, unitId } from './unit-ids.ts';

const task = 'task_01';

test('names the task, the subtask, the attempt and the kind', () => {
  const place = { subtask_id: 'a', attempt: 2 };
  expect(unitId(task, { queue: 'subtasks', ...place })).toBe('task_01.a.2');
  expect(unitId(task, { queue: 'verifications', ...place })).toBe('task_01.a.2.v');
  expect(unitId(task, { queue: 'plans', subtask_id: null, attempt: 1 })).toBe('task_01._plan.1');
});

test('two units of a task never have one id, whatever its subtasks are called', () => {
  const subtaskIds = fc
    .string({ unit: fc.constantFrom('a', 'v', 'plan', '1', '2', '.', '-', '_'), minLength: 1 })
    .filter((id) => planSubtaskSchema.shape.id.safeParse(id).success);
  const units = fc.oneof(
    fc.record({
      queue: fc.constantFrom('subtasks', 'verifications'),
      subtask_id: subtaskIds,
      attempt: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({
      queue: fc.constant('plans' as const),
      subtask_id: fc.constant(null),
      attempt: fc.integer({ min: 1, max: 3 }),
    }),
  );
  fc.assert(
    fc.property(units, units, (one, other) => {
      const same = JSON.stringify(one) === JSON.stringify(other);
      expect(unitId(task, one) === unitId(task, other)).toBe(same);
    }),
    {
      numRuns: 2_000,
      examples: [
        [
          { queue: 'subtasks', subtask_id: 'plan', attempt: 1 },
          { queue: 'plans', subtask_id: null, attempt: 1 },
        ],
      ],
    },
  );
});

test('a unit tells whose it is', () => {
  expect(ownerOfUnit('turn_01')).toEqual({ kind: 'turn', turn_id: 'turn_01' });
  expect(ownerOfUnit('task_01.a.b.2.v')).toEqual({ kind: 'task', task_id: task });
  const learnt = extractionId({ task_id: task, subtask_id: 'a.b', attempt: 2 });
  expect(ownerOfUnit(learnt)).toEqual({ kind: 'extraction' });
});
