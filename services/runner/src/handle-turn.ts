import { loadTurnTodos } from '@loom/db/todos/load-turn-todos';
import { judgeReply } from '@loom/engine/turn-breakers/judge-reply';
import { repeatedBatch } from '@loom/engine/turn-breakers/repeated-batch';
import { turnIterationLimit } from '@loom/engine/turn-iterations';
import type { Runtime } from '@loom/runtime/create-runtime';
import { parkForModel } from '@loom/runtime/model-park';
import { stopTasksOfTurn } from '@loom/runtime/stop-tasks-of-turn';
import type { UnitContext } from '@loom/runtime/unit-context';
import type { Failure } from '@loom/shared/api';
import { AppError } from '@loom/shared/app-error';
import { nothingSpent } from '@loom/shared/budget';
import type { ChatMessage, Models, ToolCall } from '@loom/shared/chat';
import { isOpenTodo, type Todo } from '@loom/shared/todo';
import type { ToolRegistry } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import type { DelegateTaskInput } from '@loom/tools/conversation-tools';
import { askCowork, type CoworkReply } from './ask-cowork.ts';
import { createCallPlace } from './call-place.ts';
import { answeredRecord } from './call-records.ts';
import { oneModelCall } from './call-wants.ts';
import { checkParkingCall } from './check-parking-call.ts';
import { distinctCallIds } from './distinct-call-ids.ts';
import type { LiveTexts } from './live-text.ts';
import { isModelAway } from './model-failure.ts';
import { OpenTurn } from './open-turn.ts';
import type { PendingCall } from './pending-calls.ts';
import { reflectOnTurn } from './reflect.ts';
import { runToolCalls } from './run-tool-calls.ts';
import { type Delegation, startDelegation } from './start-delegation.ts';
import { todoSection } from './todos/todo-section.ts';
import { unfinishedLine } from './todos/unfinished-line.ts';
import { budgetFailure } from './turn-budget.ts';
import { isParking } from './turn-tools.ts';

export interface TurnDeps {
  runtime: Runtime;
  models: Models;
  tools: ToolRegistry;
  live: LiveTexts;
}

/** Runs a turn from wherever its messages end, until text ends it or something parks it. */
export async function handleTurn(
  deps: TurnDeps,
  unit: ClaimedUnit,
  context: UnitContext,
): Promise<void> {
  const turn = await OpenTurn.load(deps.runtime, unit, deps.tools);
  await new TurnLoop(deps, unit, context, turn).run();
  const { db, logger } = deps.runtime;
  const { tenant_id, session_id, turn_id } = unit;
  // The answer is out; what is learnt from the question keeps nobody waiting.
  await reflectOnTurn(
    db,
    { tenant_id, session_id: session_id ?? '', turn_id: turn_id ?? '' },
    logger,
  );
}

/** What a step of the loop came to: the turn has ended or parked, or there is more to do. */
type Step = 'over' | 'more';

class TurnLoop {
  /** Tokens of the provider for one of ours, by the last call. */
  private calibration = 1;

  constructor(
    private readonly deps: TurnDeps,
    private readonly unit: ClaimedUnit,
    private readonly context: UnitContext,
    private readonly turn: OpenTurn,
  ) {}

  async run(): Promise<void> {
    let step: Step = 'more';
    while (step === 'more') {
      this.context.checkpoint();
      step = await this.next();
    }
  }

  private async next(): Promise<Step> {
    if (this.isStopping()) return this.stop();
    const calls = this.turn.pending();
    if (calls.length === 0) return this.askModel();
    const own = calls.filter(({ call }) => !isParking(call.name));
    return own.length > 0 ? this.runTools(own) : this.runParking(calls);
  }

  private isStopping(): boolean {
    return this.turn.cancelled || this.context.signals.stop.aborted;
  }

  private async askModel(): Promise<Step> {
    const { deps, turn, unit } = this;
    const { cowork, execution } = deps.runtime.config;
    const loop = repeatedBatch(turn.messages());
    if (loop?.kind === 'note') return this.note(loop.message);
    const todos = await this.todos();
    const limit = turnIterationLimit({ base: cowork.max_tool_iterations, ...countOf(todos) });
    if (turn.iterations() >= limit) {
      const message = 'The turn used all of its model calls without an answer.';
      return this.fail({ code: 'iterations_exhausted', message });
    }
    const refused = await turn.askFor(() => oneModelCall);
    if (refused !== null) return this.fail(budgetFailure(refused, unit));
    turn.markRead();
    const reply = await askCowork({
      models: deps.models,
      tools: deps.tools,
      live: deps.live,
      signals: this.context.signals,
      streaming: execution.enable_streaming,
      exposure: cowork.tool_exposure,
      brief: turn.brief,
      state: turn.state(),
      rules: turn.rules,
      calibration: this.calibration,
      more: [todoSection(todos)],
      place: {
        session_id: unit.session_id ?? '',
        turn_id: unit.turn_id ?? '',
        call: this.callNumber(),
      },
    });
    if (reply === 'stopped') return 'more';
    if (!(reply instanceof AppError)) return this.take(reply, todos);
    return isModelAway(reply) ? this.awaitModel(reply) : this.fail(toFailure(reply));
  }

  /** Grows from call to call; a later owner's are newer than those of the one it took over from. */
  private callNumber(): number {
    return this.unit.epoch * 100_000 + this.turn.messages().length;
  }

  /** Todos that this turn has made, if it has made any. */
  private async todos(): Promise<Todo[]> {
    const { tenant_id, turn_id } = this.unit;
    const uses = this.turn.messages().some(({ tool_name }) => tool_name === 'create_todo');
    return uses ? loadTurnTodos(this.deps.runtime.db, { tenant_id, turn_id: turn_id ?? '' }) : [];
  }

  private async note(message: ChatMessage): Promise<Step> {
    await this.turn.commit({ messages: [message] });
    return 'more';
  }

  /** Stores a reply; text alone ends the turn in the same commit, if it is a proper end. */
  private async take(reply: CoworkReply, todos: readonly Todo[]): Promise<Step> {
    const { usage, model, cost_micros } = reply;
    // What the provider counted is the measure for the next call.
    if (usage.input_tokens > 0) this.calibration = usage.input_tokens / reply.estimated_tokens;
    const earlier = this.turn.brief.recent.map(({ message }) => message);
    const mode = this.deps.runtime.config.cowork.tool_exposure;
    const step = judgeReply(this.turn.messages(), reply, mode);
    const tool_calls = step === null ? distinctCallIds(reply.tool_calls, earlier) : [];
    const ended = tool_calls.length === 0 && step?.kind !== 'note';
    const text = step?.kind === 'close' ? step.text : reply.text;
    const unfinished = ended ? unfinishedLine(todos, text) : null;
    const content = unfinished === null ? text : `${text}\n\n${unfinished}`;
    const said: ChatMessage[] =
      content === '' && !ended && tool_calls.length === 0
        ? []
        : [{ role: 'assistant', content, ...(tool_calls.length === 0 ? {} : { tool_calls }) }];
    const tokens = usage.input_tokens + usage.output_tokens;
    const outcome = await this.turn.commit({
      messages: step?.kind === 'note' ? [...said, step.message] : said,
      call: this.callNumber(),
      events: [{ type: 'model.call', data: { role: 'cowork', model, ...usage } }],
      spent: { ...nothingSpent, tokens, cost_micros, model_calls: 1 },
      input: ended ? { kind: 'finished' } : null,
    });
    return ended && outcome === 'applied' ? 'over' : 'more';
  }

  /** Gives the worker back until the model is likely to answer again, as long as there is patience left. */
  private async awaitModel(error: AppError): Promise<Step> {
    const { execution, cowork } = this.deps.runtime.config;
    const { max_parked_seconds } = cowork;
    const { parked_seconds, model_parks } = this.turn.brief;
    const wait = parkForModel({ execution: { ...execution, max_parked_seconds } }, error, {
      role: 'cowork',
      parked_seconds,
      model_parks,
    });
    if (wait === null) return this.fail(toFailure(error));
    const seconds = wait.park?.seconds ?? 0;
    const input = { kind: 'model_away', seconds, reason: error.code } as const;
    await this.turn.commit({ events: wait.events ?? [], input });
    return 'over';
  }

  private async runTools(calls: PendingCall[]): Promise<Step> {
    const { turn, context } = this;
    const { tools } = this.deps;
    const refused = await turn.askFor(() => turn.gate.wantsFor(calls));
    if (refused !== null) return this.fail(budgetFailure(refused, this.unit));
    const outcome = await runToolCalls({
      calls,
      tools,
      place: createCallPlace(this.deps.runtime.db, this.unit, turn.brief),
      signal: context.signals.abort,
      openIntents: turn.openIntents,
      allowed: new Set(tools.list().map(({ name }) => name)),
      gate: turn.gate.check,
      boundary: () => {
        context.checkpoint();
        return this.isStopping();
      },
      commit: async ({ messages, ledger, events, spent }) => {
        await turn.commit({ messages, ledger, events, spent });
      },
    });
    return outcome.kind === 'ask' ? this.awaitApproval() : 'more';
  }

  /** Puts every question there is about the reply's calls at once, and parks until one is answered. */
  private async awaitApproval(): Promise<Step> {
    const { gate } = this.turn;
    const { timeout_seconds } = this.deps.runtime.config.approval;
    const ask = gate.questionsFor(this.turn.pending());
    const questions = { ask, known_open: gate.open, timeout_seconds };
    const input = { kind: 'parked', on: 'approval' } as const;
    return isParked(await this.turn.commit({ input, questions }));
  }

  /** Starts delegations and parks for their results or for the user's answer. */
  private async runParking(calls: PendingCall[]): Promise<Step> {
    let waits = false;
    for (const pending of calls) {
      const { call } = pending;
      const checked = checkParkingCall(call);
      if (checked.kind === 'invalid') {
        await this.answer(call, checked.text);
      } else if (checked.kind === 'ask_user') {
        if (!waits) return this.awaitUser(call);
      } else {
        const gate = this.turn.gate.check(pending, 'effectful');
        if (gate.kind === 'ask') return this.awaitApproval();
        if (gate.kind === 'answer') {
          const { messages, events } = answeredRecord(pending, gate);
          await this.turn.commit({ messages, events });
        } else if (gate.edited === null) {
          waits = (await this.delegate(call, checked.input)) || waits;
        } else {
          waits = (await this.delegateEdited({ ...call, arguments: gate.edited })) || waits;
        }
      }
    }
    // Cancelled before its tasks existed: whoever cancelled could not stop them.
    if (this.turn.cancelled || !waits) return 'more';
    return isParked(await this.turn.commit({ input: { kind: 'parked', on: 'task' } }));
  }

  private async awaitUser(call: ToolCall): Promise<Step> {
    const input = { kind: 'parked', on: 'user' } as const;
    const outcome = await this.turn.commit({ input, awaiting_call_id: call.id });
    if (outcome === 'not_parked') {
      await this.answer(
        call,
        'This was not asked: the user has said more meanwhile. Read that first, and ask again if you still need to.',
      );
    }
    return isParked(outcome);
  }

  /** A person's arguments are checked like a model's: what they allowed must be what is done. */
  private async delegateEdited(call: ToolCall): Promise<boolean> {
    const checked = checkParkingCall(call);
    if (checked.kind === 'delegate_task') return this.delegate(call, checked.input, changedLine);
    const problem = checked.kind === 'invalid' ? checked.text : '';
    await this.answer(
      call,
      `The user changed the arguments of this call to ones that cannot be used, so it was not made. ${problem}`,
    );
    return false;
  }

  /** Starts a call's task; true when the turn is to wait for it. */
  private async delegate(call: ToolCall, input: DelegateTaskInput, note = ''): Promise<boolean> {
    const { runtime } = this.deps;
    const { workspace, approval_mode } = this.turn.brief;
    let started: Delegation = { task_id: '', after: null, refused: null };
    const messages: ChatMessage[] = [];
    await this.turn.commit({ messages }, async (client) => {
      // A transaction that met a deadlock starts over, and this with it.
      messages.length = 0;
      started = await startDelegation(client, {
        unit: this.unit,
        call,
        input,
        workspace,
        approval_mode,
        state: this.turn.state(),
        config: runtime.config,
      });
      const { task_id, refused } = started;
      if (refused === null && input.wait) return;
      const handle = `${note}Task ${task_id} was started and runs on its own. Its result is not known yet.`;
      messages.push({
        role: 'tool',
        content: refused ?? handle,
        tool_call_id: call.id,
        tool_name: call.name,
      });
    });
    if (started.after !== null) runtime.announce(started.after);
    // The next model call is to see that it is open.
    if (!input.wait) await this.turn.refresh();
    return input.wait && started.refused === null;
  }

  private async answer({ id, name }: ToolCall, content: string): Promise<void> {
    await this.turn.commit({
      messages: [{ role: 'tool', content, tool_call_id: id, tool_name: name }],
    });
  }

  private async stop(): Promise<Step> {
    const { tenant_id, unit_id } = this.unit;
    await stopTasksOfTurn(this.deps.runtime, { tenant_id, actor: unit_id }, unit_id);
    await this.turn.commit({ input: { kind: 'stopped' } });
    return 'over';
  }

  private async fail(error: Failure): Promise<Step> {
    await this.turn.commit({ input: { kind: 'failed', error } });
    return 'over';
  }
}

function countOf(todos: readonly Todo[]): { open: number; done: number } {
  const open = todos.filter(isOpenTodo).length;
  return { open, done: todos.length - open };
}

function toFailure({ code, message }: AppError): Failure {
  return { code, message };
}

const changedLine = 'The user changed the arguments of this call. ';

/** A turn that did not park goes on: what it was to wait for has come. */
function isParked(outcome: 'applied' | 'not_parked' | 'not_ended'): Step {
  return outcome === 'applied' ? 'over' : 'more';
}
