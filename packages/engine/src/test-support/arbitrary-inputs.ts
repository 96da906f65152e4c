import { nothingWanted } from '@loom/shared/budget';
import { isActiveSubtask } from '@loom/shared/statuses';
import type { TaskInput, TaskState } from '@loom/shared/task-state';
import { severityClasses, verdictOutcomes } from '@loom/shared/verdict';
import fc from 'fast-check';
import { anyPlan, runnablePlan } from './arbitrary-plans.ts';
import { planOf, signalsOf, specOf, verdictOf } from './task-fixtures.ts';

/** An input yet to be aimed at a subtask, an attempt or a question of the task as it then stands. */
export type AnyInput = (state: TaskState) => TaskInput;

const aim = fc.record({
  subtask: fc.nat(8),
  // Mostly the current attempt; else one that is past or yet to come.
  offset: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, -1, 1),
});

type Place = { subtask_id: string; attempt: number };

function aimed<T>(what: fc.Arbitrary<T>, make: (at: Place, what: T) => TaskInput) {
  return fc.tuple(aim, what).map(([{ subtask, offset }, chosen]): AnyInput => {
    return ({ subtasks }) => {
      const target = subtasks[subtask % (subtasks.length + 1)];
      const attempt = (target?.attempts ?? 1) + offset;
      return make({ subtask_id: target?.id ?? 'ghost', attempt }, chosen);
    };
  });
}

/** Aimed at the planner that is asked now, or at another. */
function aimedAtPlan<T>(what: fc.Arbitrary<T>, make: (attempt: number, what: T) => TaskInput) {
  return fc.tuple(fc.constantFrom(0, 0, 0, 0, -1, 1), what).map(
    ([offset, chosen]): AnyInput =>
      ({ plan_attempts }) =>
        make(plan_attempts + offset, chosen),
  );
}

const always =
  (input: TaskInput): AnyInput =>
  () =>
    input;
const maybe = fc.boolean();

const failure = fc.record({
  code: fc.constantFrom(
    'tool_failed',
    'model_rate_limited',
    'unconfirmed_data',
    'budget_exhausted',
  ),
  message: fc.constantFrom('it broke', 'it broke 17 times', 'nothing was written', 'no source'),
});

const verdict = fc.record({
  outcome: fc.constantFrom(...verdictOutcomes, 'pass' as const, 'pass' as const),
  conclusive: maybe,
  reason_code: fc.constantFrom(
    'ok',
    'ok',
    'parse_inconclusive',
    'unconfirmed_data',
    'evidence_gap',
  ),
  severity_class: fc.constantFrom(...severityClasses),
  feedback: fc.constantFrom('looks right', 'one is empty', 'two are empty'),
});
const signals = fc.record({
  tier1_ratio: fc.constantFrom(1, 1, 1, 0.5, 0),
  tool_success: fc.constantFrom(1, 0),
  destructive: maybe,
});

const calls = fc.record({
  model_calls: fc.nat(2),
  tool_calls: fc.nat(3),
  mutating_tool_calls: fc.nat(1),
});

const workInput = fc.oneof(
  {
    weight: 6,
    arbitrary: aimed(maybe, (at, resumed) => ({ kind: 'attempt_started', ...at, resumed })),
  },
  {
    weight: 4,
    arbitrary: aimed(fc.subarray(['found it']), (at, discoveries) => ({
      kind: 'attempt_done',
      ...at,
      summary: 'done',
      files_changed: [`${at.subtask_id}.md`],
      discoveries,
    })),
  },
  {
    weight: 2,
    arbitrary: aimed(failure, (at, what) => ({ kind: 'attempt_failed', ...at, failure: what })),
  },
  { weight: 1, arbitrary: aimed(maybe, (at) => ({ kind: 'attempt_cancelled', ...at })) },
  {
    weight: 1,
    arbitrary: aimed(maybe, (at, resumed) => ({ kind: 'verification_started', ...at, resumed })),
  },
  {
    weight: 5,
    arbitrary: aimed(fc.tuple(verdict, signals), (at, [fields, spoken]) => ({
      kind: 'verdict_given',
      ...at,
      verdict: verdictOf(fields),
      signals: signalsOf(spoken),
    })),
  },
  {
    weight: 1,
    arbitrary: aimed(
      fc.constantFrom('subtasks', 'verifications', 'deliveries', 'turns'),
      (at, queue) => ({ kind: 'unit_died', queue, ...at, reason: 'died' }),
    ),
  },
  {
    weight: 2,
    arbitrary: aimed(fc.constantFrom('shell_execute', 'write_file'), (at, tool) => ({
      kind: 'approval_requested',
      ...at,
      call_key: `${at.subtask_id}.${at.attempt}`,
      tool,
      arguments: {},
      reason: 'it deletes',
    })),
  },
  {
    weight: 2,
    arbitrary: aimed(
      fc.tuple(fc.constantFrom('subtasks', 'verifications'), calls),
      (at, [queue, wanted]) => ({
        kind: 'calls_wanted',
        unit: { queue, ...at },
        wants: { ...nothingWanted, ...wanted },
      }),
    ),
  },
);

const planInput: fc.Arbitrary<AnyInput> = fc.oneof(
  aimedAtPlan(maybe, (attempt, resumed) => ({ kind: 'planning_started', attempt, resumed })),
  aimedAtPlan(fc.oneof(anyPlan, runnablePlan), (attempt, plan) => ({
    kind: 'plan_made',
    attempt,
    plan,
  })),
  anotherPlan(),
  anotherPlan(),
  fc.option(runnablePlan).map((plan) => always({ kind: 'created', plan })),
  aimedAtPlan(maybe, (attempt) => ({
    kind: 'plan_invalid',
    attempt,
    errors: [{ subtask_id: 'a', code: 'cycle', message: 'waits for itself' }],
  })),
  aimedAtPlan(maybe, (attempt) => ({ kind: 'plan_unavailable', attempt, reason: 'away' })),
  aimedAtPlan(calls, (attempt, wants) => ({
    kind: 'calls_wanted',
    unit: { queue: 'plans', subtask_id: null, attempt },
    wants,
  })),
  aimedAtPlan(maybe, (attempt, known) => ({
    kind: 'unit_died',
    queue: 'plans',
    subtask_id: null,
    attempt: known ? attempt : null,
    reason: 'died',
  })),
);

/** A new version of the plan there is: some subtasks changed, some added, perhaps one forgotten. */
function anotherPlan(): fc.Arbitrary<AnyInput> {
  const changes = fc.record({
    changed: fc.nat(255),
    deliverables: fc.subarray(['a.md', 'b.md'], { maxLength: 1 }),
    is_critical_path: maybe,
    added: fc.nat(2),
    dropped: fc.nat(9).map((n) => n === 0),
  });
  return changes.map(
    (change): AnyInput =>
      ({ subtasks, plan_attempts }) => {
        const { changed, added, dropped, ...fields } = change;
        const kept = subtasks.map(({ spec }, n) =>
          (changed >> n) % 2 === 1 ? { ...spec, ...fields, description: 'do it otherwise' } : spec,
        );
        const more = Array.from({ length: subtasks.length < 9 ? added : 0 }, (_, n) =>
          specOf(`s${subtasks.length + n}`, fields),
        );
        const all = [...(dropped ? kept.slice(1) : kept), ...more];
        const plan = all.length === 0 ? planOf('s0') : planOf(...all);
        return { kind: 'plan_made', attempt: plan_attempts, plan };
      },
  );
}

const by = 'key_1';
const limits = fc.constantFrom(
  null,
  {},
  { max_model_calls: 50 },
  { max_seconds: 0, max_tokens: 9 },
);

const controlInput: fc.Arbitrary<AnyInput> = fc.oneof(
  fc.constantFrom('cancel', 'abort').map((mode) => always({ kind: 'stop_requested', mode, by })),
  fc.constant(always({ kind: 'resume_requested', subtask_id: null, by, limits: null })),
  aimed(maybe, ({ subtask_id }) => ({
    kind: 'subtask_stop_requested',
    subtask_id,
    mode: 'abort',
    by,
  })),
  fc.constant(always({ kind: 'pause_requested', subtask_id: null, by })),
  aimed(maybe, ({ subtask_id }) => ({ kind: 'pause_requested', subtask_id, by })),
  aimed(maybe, ({ subtask_id }) => ({
    kind: 'resume_requested',
    subtask_id,
    by,
    limits: null,
  })),
  limits.map((raised) =>
    always({ kind: 'resume_requested', subtask_id: null, by, limits: raised }),
  ),
  aimed(maybe, ({ subtask_id }, one) => ({
    kind: 'steer_requested',
    guidance: { id: 'str_1', guidance: 'be brief', subtask_id: one ? subtask_id : null },
    by,
  })),
  fc.constant(always({ kind: 'replan_requested', by, reason: 'look again' })),
  maybe.map((reuse_plan) => always({ kind: 'retry_requested', by, subtask_id: null, reuse_plan })),
  aimed(maybe, ({ subtask_id }, reuse_plan) => ({
    kind: 'retry_requested',
    by,
    subtask_id,
    description: 'do it well',
    reuse_plan,
  })),
);

const answerInput: fc.Arbitrary<AnyInput> = fc
  .record({
    number: fc.nat(3),
    decision: fc.constantFrom('approve', 'deny'),
    args: fc.constantFrom(null, {}, { scope: 'task', max_model_calls: 90 }, { nonsense: true }),
    remember: maybe,
  })
  .map(
    ({ number, decision, args, remember }): AnyInput =>
      ({ course }) => {
        const id = course.approvals[number % (course.approvals.length + 1)]?.id ?? 'apr_1-1';
        return {
          kind: 'approval_decided',
          id,
          decision,
          by,
          reason: null,
          arguments: args,
          remember,
        };
      },
  );

/** What whoever is at work would say next, so that stories get somewhere. */
const fittingInput: fc.Arbitrary<AnyInput> = fc
  .record({
    place: fc.nat(8),
    answer: answerInput,
    plan: anotherPlan(),
    fails: fc.nat(3).map((n) => n === 0),
    failure,
    verdict: fc.oneof(fc.constant({}), verdict),
    signals: fc.oneof(fc.constant({}), signals),
    discoveries: fc.subarray(['found it']),
  })
  .map(
    (chosen): AnyInput =>
      (state) => {
        const { subtasks, plan_attempts: attempt, course } = state;
        const planning = state.plan_version === 0 || course.replan !== null;
        const active = subtasks.filter(({ status }) => isActiveSubtask(status));
        const target = active[chosen.place % (active.length + (planning ? 1 : 0))];
        if (target === undefined) {
          if (!planning) return { kind: 'time_passed' };
          if (state.status === 'queued') {
            return { kind: 'planning_started', attempt, resumed: false };
          }
          if (chosen.fails) return { kind: 'plan_unavailable', attempt, reason: 'away' };
          return chosen.plan(state);
        }
        const at = { subtask_id: target.id, attempt: target.attempts };
        switch (target.status) {
          case 'running':
            if (chosen.fails) return { kind: 'attempt_failed', ...at, failure: chosen.failure };
            return {
              kind: 'attempt_done',
              ...at,
              summary: 'done',
              files_changed: [],
              discoveries: chosen.discoveries,
            };
          case 'verifying':
            return {
              kind: 'verdict_given',
              ...at,
              verdict: verdictOf(chosen.verdict),
              signals: signalsOf(chosen.signals),
            };
          case 'awaiting_approval':
            if (course.approvals.length > 0) return chosen.answer(state);
            return { kind: 'attempt_started', ...at, resumed: true };
          default:
            return { kind: 'attempt_started', ...at, resumed: false };
        }
      },
  );

/** Everything that can be said to a task, mostly in place and often enough out of it. */
export const anyInput: fc.Arbitrary<AnyInput> = fc.oneof(
  { weight: 60, arbitrary: fittingInput },
  { weight: 20, arbitrary: workInput },
  { weight: 4, arbitrary: planInput },
  { weight: 4, arbitrary: answerInput },
  { weight: 4, arbitrary: controlInput },
  { weight: 4, arbitrary: fc.constant(always({ kind: 'time_passed' })) },
);
