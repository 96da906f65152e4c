import type { Plan } from '@loom/shared/plan';
import { isTerminalTask } from '@loom/shared/statuses';
import type { TaskInput, TaskState } from '@loom/shared/task-state';
import { verdictOutcomes } from '@loom/shared/verdict';
import { planOf, specOf, verdictOf } from '../test-support/task-fixtures.ts';
import type { Random } from './random.ts';
import type { UnitRow } from './rows.ts';

/** A plan that can run: a few subtasks that wait for earlier ones and share some files. */
export function randomPlan(random: Random): Plan {
  const size = random.int(1, 6);
  const specs = Array.from({ length: size }, (_, index) =>
    specOf(`s${index}`, {
      depends_on: Array.from({ length: index }, (_, n) => `s${n}`).filter(() => random.chance(0.3)),
      deliverables: random.chance(0.4) ? [random.pick(['a.md', './a.md', 'b.md'])] : [],
      is_critical_path: random.chance(0.1),
      is_synthesis: index > 0 && index === size - 1 && random.chance(0.5),
      max_retries: random.int(0, 3),
    }),
  );
  return planOf(...specs);
}

/** What is said when a worker takes a unit up. */
export function startOf({ queue, subtask_id, attempt }: UnitRow): TaskInput {
  if (queue === 'plans' || subtask_id === null || attempt === null) {
    return { kind: 'planning_started' };
  }
  const kind = queue === 'subtasks' ? 'attempt_started' : 'verification_started';
  return { kind, subtask_id, attempt };
}

/** Whether the task still wants the unit done, as a worker sees after taking it up. */
export function isWanted(state: TaskState, { queue, subtask_id, attempt }: UnitRow): boolean {
  if (queue === 'plans') return state.plan_version === 0 && !isTerminalTask(state.status);
  const subtask = state.subtasks.find(({ id }) => id === subtask_id);
  const status = queue === 'subtasks' ? 'running' : 'verifying';
  return subtask?.status === status && subtask.attempts === attempt;
}

/** What comes of a unit: mostly good, now and then anything else. */
export function randomResult(random: Random, unit: UnitRow, stopping: boolean): TaskInput {
  const { queue, subtask_id, attempt } = unit;
  if (queue === 'plans' || subtask_id === null || attempt === null) return randomPlanning(random);
  const at = { subtask_id, attempt };
  if (queue === 'verifications') {
    const outcome = random.chance(0.6) ? 'pass' : random.pick(verdictOutcomes);
    const verdict = verdictOf({ outcome, conclusive: random.chance(0.9) });
    return { kind: 'verdict_given', ...at, verdict };
  }
  if (stopping && random.chance(0.5)) return { kind: 'attempt_cancelled', ...at };
  if (random.chance(0.2)) {
    const failure = { code: 'tool_failed', message: 'it broke' };
    return { kind: 'attempt_failed', ...at, failure };
  }
  return { kind: 'attempt_done', ...at, summary: 'done', files_changed: [`${subtask_id}.md`] };
}

function randomPlanning(random: Random): TaskInput {
  const luck = random.next();
  if (luck < 0.8) return { kind: 'plan_made', plan: randomPlan(random) };
  if (luck < 0.9) {
    return { kind: 'plan_unavailable', reason: 'no model answers', degrade: random.chance(0.7) };
  }
  const message = 'waits for itself';
  return { kind: 'plan_invalid', errors: [{ subtask_id: 's0', code: 'cycle', message }] };
}
