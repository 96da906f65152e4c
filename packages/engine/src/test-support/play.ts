import type { BudgetLimits, BudgetScope, Wants } from '@loom/shared/budget';
import { nothingWanted } from '@loom/shared/budget';
import type { NewEvent } from '@loom/shared/events';
import type { Plan } from '@loom/shared/plan';
import type { NewUnit, TaskDecision, TaskInput, TaskState } from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';
import { decideTask } from '../decide-task.ts';
import { freshTask, signalsOf, verdictOf } from './task-fixtures.ts';

/** What a sequence of inputs made of a task: its state, all it said and all it handed out. */
export interface History {
  state: TaskState;
  events: NewEvent[];
  units: NewUnit[];
  last: TaskDecision;
  now: number;
  scopes: BudgetScope[];
}

/** Seconds go by without anybody saying anything. */
export interface Wait {
  kind: 'wait';
  seconds: number;
}

/** When stories begin (milliseconds since 1970). */
export const storyStart = 1_000_000;

/** Plays inputs one after the other, from a fresh task or from an earlier history. */
export function play(from: TaskState | History, ...steps: (TaskInput | Wait)[]): History {
  const start = 'last' in from ? from : { state: from, events: [], units: [], scopes: [] };
  let { state } = start;
  let now = 'now' in start ? start.now : storyStart;
  const { scopes } = start;
  const events = [...start.events];
  const units = [...start.units];
  let last: TaskDecision | null = 'last' in start ? start.last : null;
  for (const step of steps) {
    if (step.kind === 'wait') {
      now += step.seconds * 1_000;
      continue;
    }
    last = decideTask(state, step, { now, scopes });
    state = last.state;
    events.push(...last.events);
    units.push(...last.units);
  }
  if (last === null) throw new Error('play needs an input');
  return { state, events, units, last, now, scopes };
}

/** A task that runs this plan. */
export function running(plan: Plan, fields: Partial<TaskState> = {}): History {
  return play(freshTask(fields), { kind: 'created', plan });
}

/** A task that a planner is working on. */
export function planning(fields: Partial<TaskState> = {}): History {
  return play(freshTask(fields), { kind: 'created', plan: null }, planningStarted());
}

/** The same history with a state that was changed by hand, as the database changes what calls have cost. */
export function withState(history: History, fields: Partial<TaskState>): History {
  return { ...history, state: { ...history.state, ...fields } };
}

/** The same history under budgets above the task. */
export function under(history: History, ...scopes: BudgetScope[]): History {
  return { ...history, scopes };
}

export const wait = (seconds: number): Wait => ({ kind: 'wait', seconds });

export const timePassed: TaskInput = { kind: 'time_passed' };

/** Seconds go by, and the sweeper notices. */
export const after = (seconds: number): (TaskInput | Wait)[] => [wait(seconds), timePassed];

export const planningStarted = (attempt = 1, resumed = false): TaskInput => ({
  kind: 'planning_started',
  attempt,
  resumed,
});

export const planMade = (plan: Plan, attempt = 1): TaskInput => ({
  kind: 'plan_made',
  attempt,
  plan,
});

export const planUnavailable = (attempt = 1, reason = 'the model is away'): TaskInput => ({
  kind: 'plan_unavailable',
  attempt,
  reason,
});

export const started = (subtask_id: string, attempt = 1, resumed = false): TaskInput => ({
  kind: 'attempt_started',
  subtask_id,
  attempt,
  resumed,
});

export const done = (
  subtask_id: string,
  attempt = 1,
  files_changed: string[] = [],
  discoveries: string[] = [],
): TaskInput => ({
  kind: 'attempt_done',
  subtask_id,
  attempt,
  summary: `did ${subtask_id}`,
  files_changed,
  discoveries,
});

export const failed = (
  subtask_id: string,
  attempt = 1,
  message = 'it broke',
  code = 'tool_failed',
): TaskInput => ({ kind: 'attempt_failed', subtask_id, attempt, failure: { code, message } });

export const stopped = (subtask_id: string, attempt = 1): TaskInput => ({
  kind: 'attempt_cancelled',
  subtask_id,
  attempt,
});

export const verificationStarted = (subtask_id: string, attempt = 1): TaskInput => ({
  kind: 'verification_started',
  subtask_id,
  attempt,
  resumed: false,
});

export const judged = (
  subtask_id: string,
  attempt = 1,
  fields: Partial<Verdict> = {},
  signals: Parameters<typeof signalsOf>[0] = {},
): TaskInput => ({
  kind: 'verdict_given',
  subtask_id,
  attempt,
  verdict: verdictOf(fields),
  signals: signalsOf(signals),
});

/** The three inputs of an attempt that goes well. */
export const completes = (subtask_id: string, attempt = 1): TaskInput[] => [
  started(subtask_id, attempt),
  done(subtask_id, attempt),
  judged(subtask_id, attempt),
];

/** The two inputs of an attempt that does not. Each breaks in its own way unless told otherwise. */
export const breaks = (
  subtask_id: string,
  attempt = 1,
  message = `broke like ${'abcdefghij'[attempt]}`,
): TaskInput[] => [started(subtask_id, attempt), failed(subtask_id, attempt, message)];

export const died = (
  queue: Extract<TaskInput, { kind: 'unit_died' }>['queue'],
  subtask_id: string | null,
  attempt: number | null,
): TaskInput => ({
  kind: 'unit_died',
  queue,
  subtask_id,
  attempt,
  reason: '3 starts without progress',
});

/** An executor asks whether it may call a tool. */
export const asks = (subtask_id: string, attempt = 1, tool = 'shell_execute'): TaskInput => ({
  kind: 'approval_requested',
  subtask_id,
  attempt,
  call_key: `${subtask_id}.${attempt}.0`,
  tool,
  arguments: { command: 'rm -rf build' },
  reason: 'deletes a folder',
});

/** A person answers a question; `number` counts the questions of the task. */
export const answers = (
  number: number,
  decision: 'approve' | 'deny',
  fields: Partial<Extract<TaskInput, { kind: 'approval_decided' }>> = {},
): TaskInput => ({
  kind: 'approval_decided',
  id: `apr_1-${number}`,
  decision,
  by: 'key_1',
  reason: null,
  arguments: null,
  remember: false,
  ...fields,
});

export const wants = (
  queue: 'plans' | 'subtasks' | 'verifications',
  subtask_id: string | null,
  calls: Partial<Wants> = { model_calls: 1 },
  attempt = 1,
): TaskInput => ({
  kind: 'calls_wanted',
  unit: { queue, subtask_id, attempt },
  wants: { ...nothingWanted, ...calls },
});

export const stop = (mode: 'cancel' | 'abort'): TaskInput => ({
  kind: 'stop_requested',
  mode,
  by: 'key_1',
});

export const skip = (subtask_id: string): TaskInput => ({
  kind: 'subtask_stop_requested',
  subtask_id,
  mode: 'abort',
  by: 'key_1',
});

export const pause = (subtask_id: string | null = null): TaskInput => ({
  kind: 'pause_requested',
  subtask_id,
  by: 'key_1',
});

export const resume = (
  subtask_id: string | null = null,
  limits: BudgetLimits | null = null,
): TaskInput => ({ kind: 'resume_requested', subtask_id, by: 'key_1', limits });

export const steer = (guidance: string, subtask_id: string | null = null): TaskInput => ({
  kind: 'steer_requested',
  guidance: { id: 'str_1', guidance, subtask_id },
  by: 'key_1',
});

export const replan = (reason = 'look again'): TaskInput => ({
  kind: 'replan_requested',
  by: 'key_1',
  reason,
});

export const retry = (
  subtask_id: string | null = null,
  fields: { description?: string; model_tier?: number; reuse_plan?: boolean } = {},
): TaskInput => ({
  kind: 'retry_requested',
  by: 'key_1',
  subtask_id,
  reuse_plan: true,
  ...fields,
});
