import { configSchema } from '@loom/shared/config';
import type { NewEvent } from '@loom/shared/events';
import type { Plan, PlanSubtask } from '@loom/shared/plan';
import { type TaskPolicy, taskPolicy } from '@loom/shared/task-policy';
import type {
  ConfidenceSignals,
  NewUnit,
  SubtaskState,
  TaskDecision,
  TaskState,
} from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';
import { newSubtask, newTask } from '../new-task.ts';

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

const { execution, verification, approval } = configSchema.parse({});
const productPolicy = taskPolicy({ execution, verification, approval }, { in_session: false });

/** What of a policy a test changes; the rest is the product's default. */
export interface PolicyFields extends Partial<Omit<TaskPolicy, 'approval' | 'remediation'>> {
  approval?: Partial<TaskPolicy['approval']>;
  remediation?: Partial<TaskPolicy['remediation']>;
}

/** The product's policy, but for these fields. */
export function policyOf(fields: PolicyFields = {}): TaskPolicy {
  return {
    ...productPolicy,
    ...fields,
    approval: { ...productPolicy.approval, ...fields.approval },
    remediation: { ...productPolicy.remediation, ...fields.remediation },
  };
}

/** A subtask somewhere in its life. */
export function subtaskOf(
  id: string,
  fields: Partial<SubtaskState> = {},
  spec: Partial<PlanSubtask> = {},
): SubtaskState {
  return { ...newSubtask(specOf(id, spec)), ...fields };
}

/** A task nothing has happened to. */
export function freshTask(fields: Partial<TaskState> = {}): TaskState {
  const task = newTask({
    id: 'task_1',
    goal: 'build it',
    max_parallel: 5,
    policy: policyOf(),
    limits: {},
  });
  return { ...task, ...fields };
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

/** What speaks for a result; all of it unless told otherwise. */
export function signalsOf(fields: Partial<ConfidenceSignals> = {}): ConfidenceSignals {
  return { tier1_ratio: 1, tier2_confidence: null, tool_success: 1, destructive: false, ...fields };
}

/** A unit as a decision hands it out, with what most of them have in common. */
export function unitOf(queue: NewUnit['queue'], fields: Partial<NewUnit> = {}): NewUnit {
  return { queue, subtask_id: null, attempt: 1, tier: null, round: 1, ...fields };
}

/** A decision that changes nothing. */
export function nothingFor(state: TaskState): TaskDecision {
  return {
    state,
    events: [],
    units: [],
    withdraw: 'none',
    wake: { paused: false, attempts: [] },
    approvals: [],
    plan: null,
  };
}

/** A subtask of a task, which has to be there. */
export function subtaskIn(state: TaskState, id: string): SubtaskState {
  const found = state.subtasks.find((subtask) => subtask.id === id);
  if (found === undefined) throw new Error(`there is no subtask ${id}`);
  return found;
}

/** The status of each subtask, by id. */
export function statuses(state: TaskState): Record<string, string> {
  return Object.fromEntries(state.subtasks.map(({ id, status }) => [id, status]));
}

/** Types of events, in order. */
export function types(events: NewEvent[]): string[] {
  return events.map(({ type }) => type);
}

/** The only event of a type among these. */
export function theEvent(events: NewEvent[], type: NewEvent['type']): NewEvent {
  const [found, ...more] = events.filter((event) => event.type === type);
  if (found === undefined || more.length > 0) throw new Error(`${more.length + 1} or 0 of ${type}`);
  return found;
}
