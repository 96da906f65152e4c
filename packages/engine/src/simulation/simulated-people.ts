import type { BudgetLimits, BudgetName } from '@loom/shared/budget';
import type { ApprovalChange, TaskInput, TaskState } from '@loom/shared/task-state';
import type { Agenda } from './agenda.ts';
import type { Chaos } from './chaos.ts';
import type { Random } from './random.ts';
import { randomScope, randomTask } from './random-task.ts';
import { randomPlan } from './random-work.ts';
import type { Bell } from './rows.ts';
import type { SimulatedDatabase } from './simulated-database.ts';

interface PeopleOptions {
  agenda: Agenda;
  random: Random;
  chaos: Chaos;
  database: () => SimulatedDatabase;
  ring: (bells: Bell[]) => void;
  count: (what: string) => void;
}

const by = 'someone';
const retryAll: TaskInput = { kind: 'retry_requested', by, subtask_id: null, reuse_plan: true };

/** Those who ask for tasks, change their mind about them, and answer questions or do not. */
export class SimulatedPeople {
  /** When the last of them speaks unasked. */
  lastRequest = 0;

  constructor(private readonly options: PeopleOptions) {}

  scheduleRequests(): void {
    const { random } = this.options;
    const tenant = randomScope(random, 'tenant');
    const session = randomScope(random, 'session');
    for (let number = random.int(1, 2); number > 0; number -= 1) {
      const task = randomTask(random, `t${number}`);
      const born = random.next() * 10;
      const scopes = [...tenant, ...(random.chance(0.5) ? session : [])];
      this.#at(born, () => this.options.database().insert(task, scopes));
      this.#ask(born, task.id, { kind: 'created', plan: this.#plan() });
      for (let more = random.int(0, 4); more > 0; more -= 1) {
        this.#disturb(born + random.next() * random.pick([10, 60, 200]), task);
      }
    }
  }

  #plan() {
    const { random } = this.options;
    return random.chance(0.5) ? randomPlan(random) : null;
  }

  #at(time: number, act: () => void): void {
    this.lastRequest = Math.max(this.lastRequest, time);
    this.options.agenda.after(time, act);
  }

  #ask(time: number, taskId: string, input: TaskInput): void {
    this.#at(time, () => this.#say(taskId, input));
  }

  #say(taskId: string, input: TaskInput): void {
    this.options.ring(this.options.database().request(taskId, input));
  }

  #disturb(time: number, task: TaskState): void {
    const { random } = this.options;
    const { id: taskId } = task;
    const input = this.#randomRequest(task);
    this.#ask(time, taskId, input);
    if (input.kind === 'pause_requested') {
      const { subtask_id } = input;
      // Whoever pauses goes on some day, at the latest when everybody does.
      const later = time + random.next() * random.pick([2, 60, 300]);
      this.#ask(later, taskId, { kind: 'resume_requested', subtask_id, by, limits: null });
    }
    // People change their mind: this finds workers that have not yet noticed a stop.
    if (random.chance(0.4)) this.#ask(time + random.next() * 15, taskId, retryAll);
  }

  #randomRequest(state: TaskState): TaskInput {
    const { random } = this.options;
    const subtask_id = `s${random.int(0, 6)}`;
    const one = random.chance(0.5) ? subtask_id : null;
    const raised = Object.fromEntries(
      Object.entries(state.limits).map(([name, limit]) => [name, limit * 100]),
    );
    const guidance = { id: `str_${random.int(1, 999)}`, guidance: 'be brief', subtask_id: one };
    return random.pick<TaskInput>([
      { kind: 'stop_requested', mode: 'cancel', by },
      { kind: 'stop_requested', mode: 'abort', by },
      { kind: 'subtask_stop_requested', subtask_id, mode: 'abort', by },
      { kind: 'pause_requested', subtask_id: null, by },
      { kind: 'pause_requested', subtask_id, by },
      { kind: 'resume_requested', subtask_id: one, by, limits: null },
      { kind: 'resume_requested', subtask_id: null, by, limits: raised },
      { kind: 'steer_requested', guidance, by },
      { kind: 'replan_requested', by, reason: 'look again' },
      { kind: 'retry_requested', by, subtask_id, reuse_plan: true },
      { kind: 'retry_requested', by, subtask_id: null, reuse_plan: false },
      retryAll,
    ]);
  }

  /** Somebody may see a question and answer it, in time or late, once or twice. */
  hear(taskId: string, question: Extract<ApprovalChange, { op: 'open' }>): void {
    const { random, chaos, agenda, count } = this.options;
    if (!random.chance(chaos.attention)) return;
    const answers = random.chance(0.1) ? 2 : 1;
    for (let more = answers; more > 0; more -= 1) {
      agenda.after(random.next() * random.pick([3, 30, 150]), () => {
        const decision = random.chance(chaos.generosity) ? 'approve' : 'deny';
        const raised = decision === 'approve' ? this.#raise(taskId, question) : null;
        count(`${decision} ${question.kind}`);
        this.#say(taskId, {
          kind: 'approval_decided',
          id: question.id,
          decision,
          by,
          reason: null,
          arguments: raised,
          remember: random.chance(0.2),
        });
      });
    }
  }

  /** New limits for whoever's budget a question is about. */
  #raise(
    taskId: string,
    { kind, arguments: args }: Extract<ApprovalChange, { op: 'open' }>,
  ): Record<string, unknown> | null {
    if (kind !== 'budget' || this.options.random.chance(0.2)) return null;
    const { scope, ...limits } = args as { scope: string } & BudgetLimits;
    if (scope === 'task') return limits;
    const { scopes = [] } = this.options.database().tasks.get(taskId) ?? {};
    for (const one of scopes) {
      if (one.kind === scope) one.limits = higherOf(one.limits, limits);
    }
    return {};
  }
}

/** A question may be answered late: what was raised further meanwhile is not lowered again. */
function higherOf(one: BudgetLimits, other: BudgetLimits): BudgetLimits {
  const names = Object.keys(other) as BudgetName[];
  const higher = names.map((name) => [name, Math.max(one[name] ?? 0, other[name] ?? 0)]);
  return { ...one, ...Object.fromEntries(higher) };
}
