import type { NewEvent } from '@loom/shared/events';
import type { Plan, PlanSubtask } from '@loom/shared/plan';
import type {
  NewUnit,
  SubtaskState,
  TaskDecision,
  TaskInput,
  TaskState,
} from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';
import { decideTask } from '../decide-task.ts';
import { newTask } from '../new-task.ts';

/** A subtask as a planner would write it, with the defaults of the plan schema. */
export function specOf(id: string, fields: Partial<PlanSubtask> = {}): PlanSubtask {
  return {
    id,
    description: `do ${id}`,
    depends_on: [],
    model_tier: 1,
    verification_tier: 1,
    is_critical_path: false,
    is_synthesis: false,
    max_retries: 3,
    acceptance_criteria: [],
    deliverables: [],
    checks: [],
    risk: 'low',
    ...fields,
  };
}

/** A plan from ids alone or whole specs. */
export function planOf(...subtasks: (string | PlanSubtask)[]): Plan {
  return { subtasks: subtasks.map((one) => (typeof one === 'string' ? specOf(one) : one)) };
}

/** A subtask somewhere in its life. */
export function subtaskOf(
  id: string,
  fields: Partial<SubtaskState> = {},
  spec: Partial<PlanSubtask> = {},
): SubtaskState {
  return {
    id,
    spec: specOf(id, spec),
    status: 'pending',
    verification: 'unverified',
    attempts: 0,
    attempts_forgiven: 0,
    deferrals: 0,
    feedback: null,
    summary: null,
    error: null,
    ...fields,
  };
}

/** A task nothing has happened to. */
export function freshTask(fields: Partial<TaskState> = {}): TaskState {
  return { ...newTask({ id: 'task_1', goal: 'build it', max_parallel: 5 }), ...fields };
}

/** A judgement, passing unless told otherwise. */
export function verdictOf(fields: Partial<Verdict> = {}): Verdict {
  return {
    outcome: 'pass',
    tier: 1,
    conclusive: true,
    confidence: 1,
    reason_code: 'ok',
    severity_class: 'semantic',
    feedback: 'looks right',
    evidence: [],
    checks: [],
    missing_targets: [],
    ...fields,
  };
}

/** What a sequence of inputs made of a task: its state, all it said and all it handed out. */
export interface History {
  state: TaskState;
  events: NewEvent[];
  units: NewUnit[];
  last: TaskDecision;
}

/** Plays inputs one after the other, from a fresh task or from an earlier history. */
export function play(from: TaskState | History, ...inputs: TaskInput[]): History {
  const start = 'last' in from ? from : { state: from, events: [], units: [] };
  let { state } = start;
  const events = [...start.events];
  const units = [...start.units];
  let last: TaskDecision | null = null;
  for (const input of inputs) {
    last = decideTask(state, input);
    state = last.state;
    events.push(...last.events);
    units.push(...last.units);
  }
  if (last === null) throw new Error('play needs an input');
  return { state, events, units, last };
}

/** A task that runs this plan. */
export function running(plan: Plan, fields: Partial<TaskState> = {}): History {
  return play(freshTask(fields), { kind: 'created', plan });
}

export const started = (subtask_id: string, attempt = 1): TaskInput => ({
  kind: 'attempt_started',
  subtask_id,
  attempt,
});

export const done = (subtask_id: string, attempt = 1, files_changed: string[] = []): TaskInput => ({
  kind: 'attempt_done',
  subtask_id,
  attempt,
  summary: `did ${subtask_id}`,
  files_changed,
});

export const failed = (subtask_id: string, attempt = 1, message = 'it broke'): TaskInput => ({
  kind: 'attempt_failed',
  subtask_id,
  attempt,
  failure: { code: 'tool_failed', message },
});

export const judged = (
  subtask_id: string,
  attempt = 1,
  fields: Partial<Verdict> = {},
): TaskInput => ({ kind: 'verdict_given', subtask_id, attempt, verdict: verdictOf(fields) });

/** The three inputs of an attempt that goes well. */
export const completes = (subtask_id: string, attempt = 1): TaskInput[] => [
  started(subtask_id, attempt),
  done(subtask_id, attempt),
  judged(subtask_id, attempt),
];

/** The two inputs of an attempt that does not. */
export const breaks = (subtask_id: string, attempt = 1): TaskInput[] => [
  started(subtask_id, attempt),
  failed(subtask_id, attempt),
];

export const stop = (mode: 'cancel' | 'abort'): TaskInput => ({
  kind: 'stop_requested',
  mode,
  by: 'key_1',
});

export const retry = (subtask_id: string | null = null): TaskInput => ({
  kind: 'retry_requested',
  by: 'key_1',
  subtask_id,
});

/** The status of each subtask, by id. */
export function statuses(state: TaskState): Record<string, string> {
  return Object.fromEntries(state.subtasks.map(({ id, status }) => [id, status]));
}

/** Types of events, in order. */
export function types(events: NewEvent[]): string[] {
  return events.map(({ type }) => type);
}
