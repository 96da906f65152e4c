import { nothingWanted, type Wants } from '@loom/shared/budget';
import type { Plan, PlanSubtask } from '@loom/shared/plan';
import type { TaskInput, TaskState } from '@loom/shared/task-state';
import { severityClasses, verdictOutcomes } from '@loom/shared/verdict';
import type { WorkSigns } from '@loom/shared/work';
import { planOf, signalsOf, specOf, verdictOf } from '../test-support/task-fixtures.ts';
import type { Chaos } from './chaos.ts';
import type { Random } from './random.ts';
import type { UnitRow, Work } from './rows.ts';

/** A plan that can run: a few subtasks that wait for earlier ones and share some files. */
export function randomPlan(random: Random): Plan {
  const size = random.int(1, 6);
  const specs = Array.from({ length: size }, (_, index) =>
    randomSpec(random, `s${index}`, index, index > 0 && index === size - 1 && random.chance(0.5)),
  );
  return planOf(...specs);
}

function randomSpec(random: Random, id: string, place: number, synthesis: boolean): PlanSubtask {
  return specOf(id, {
    depends_on: Array.from({ length: place }, (_, n) => `s${n}`).filter(() => random.chance(0.3)),
    deliverables: random.chance(0.4) ? [random.pick(['a.md', './a.md', 'b.md'])] : [],
    is_critical_path: random.chance(0.3),
    is_synthesis: synthesis,
    max_retries: random.int(0, 3),
  });
}

const maxSubtasks = 9;

/** Another plan for a task that has one: mostly it keeps the contract, in the end it repeats it. */
function randomReplan(random: Random, { subtasks }: TaskState): Plan {
  const kept = subtasks.map(({ spec }, place) => {
    if (random.chance(0.7)) return spec;
    const fresh = randomSpec(random, spec.id, place, spec.is_synthesis);
    return { ...fresh, depends_on: spec.depends_on.filter(() => random.chance(0.5)) };
  });
  const dropped = random.chance(0.1) ? kept.slice(1) : kept;
  const room = maxSubtasks - subtasks.length;
  const added = Array.from({ length: Math.max(0, Math.min(room, random.int(0, 2))) }, (_, n) =>
    specOf(`s${subtasks.length + n}`, { max_retries: random.int(0, 2) }),
  );
  return planOf(...dropped, ...added);
}

function randomPlanning(random: Random, unit: UnitRow, state: TaskState): TaskInput {
  const attempt = unit.attempt ?? 0;
  const luck = random.next();
  if (luck < 0.8) {
    const plan = state.plan_version === 0 ? randomPlan(random) : randomReplan(random, state);
    return { kind: 'plan_made', attempt, plan };
  }
  if (luck < 0.9) return { kind: 'plan_unavailable', attempt, reason: 'no model answers' };
  const message = 'waits for itself';
  return { kind: 'plan_invalid', attempt, errors: [{ subtask_id: 's0', code: 'cycle', message }] };
}

const reasons = [
  'ok',
  'parse_inconclusive',
  'unconfirmed_data',
  'evidence_missing',
  'check_failed',
] as const;
const words = ['one file is empty', 'the test failed', 'nothing was written', 'too slow'] as const;

/** What comes of a unit: mostly good, now and then anything else. */
export function randomResult(
  random: Random,
  unit: UnitRow,
  state: TaskState,
  chaos: Chaos,
): TaskInput {
  const { queue, subtask_id, attempt } = unit;
  if (queue === 'plans' || subtask_id === null || attempt === null) {
    return randomPlanning(random, unit, state);
  }
  const at = { subtask_id, attempt };
  const fails = random.chance(chaos.failure);
  if (queue === 'verifications') {
    const verdict = verdictOf({
      outcome: fails ? random.pick(verdictOutcomes) : 'pass',
      conclusive: random.chance(0.9),
      reason_code: random.chance(0.7) ? 'ok' : random.pick(reasons),
      severity_class: random.pick(severityClasses),
      feedback: random.pick(words),
    });
    const tier1_ratio = random.chance(0.8) ? 1 : random.next();
    const signals = signalsOf({ tier1_ratio, destructive: random.chance(0.1) });
    return { kind: 'verdict_given', ...at, verdict, signals };
  }
  if (fails) {
    const code = random.pick(['tool_failed', 'model_rate_limited', 'time_exhausted']);
    return { kind: 'attempt_failed', ...at, failure: { code, message: random.pick(words) } };
  }
  const discoveries = random.chance(0.1) ? ['the folder is full'] : [];
  const files_changed = [`${subtask_id}.md`];
  return { kind: 'attempt_done', ...at, summary: 'done', files_changed, discoveries };
}

/** How a worker ends that was told to stop, to pause, or that it may make no more calls. */
export function earlyEnd(
  unit: UnitRow,
  { stopping, pausing }: Pick<WorkSigns, 'stopping' | 'pausing'>,
  result: TaskInput,
): Partial<Work> {
  const { queue, subtask_id, attempt } = unit;
  if (!stopping && pausing) return { park: { reason: 'pause', seconds: null } };
  if (queue === 'plans' || subtask_id === null || attempt === null) {
    const reason = stopping ? 'the task was asked to stop' : 'the budget allows no further call';
    return { input: { kind: 'plan_unavailable', attempt: attempt ?? 0, reason } };
  }
  const at = { subtask_id, attempt };
  if (stopping) return { input: { kind: 'attempt_cancelled', ...at } };
  if (queue === 'verifications') return { input: result };
  const failure = { code: 'budget_exhausted', message: 'no more calls were made' };
  return { input: { kind: 'attempt_failed', ...at, failure } };
}

/** The tool calls that a reply names. */
export function randomCalls(random: Random): UnitRow['pending'] {
  const tool = random.int(0, 3);
  return { tool, mutating: random.int(0, tool) };
}

export const oneModelCall: Wants = { ...nothingWanted, model_calls: 1 };

/** What must be granted before the next step. */
export function wantsFor({ tool, mutating }: UnitRow['pending']): Wants {
  if (tool === 0) return oneModelCall;
  return { model_calls: 0, tool_calls: tool, mutating_tool_calls: mutating };
}
