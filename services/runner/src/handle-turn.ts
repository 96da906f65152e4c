import { commitTurn, type TurnChange } from '@loom/db/commit-turn';
import type { Database } from '@loom/db/database';
import { loadOpenIntents } from '@loom/db/load-journal';
import { loadTurn, type TurnBrief } from '@loom/db/load-turn';
import { decideTurn } from '@loom/engine/decide-turn';
import { packWindow } from '@loom/engine/pack-window';
import type { Runtime } from '@loom/runtime/create-runtime';
import { stopTasksOfTurn } from '@loom/runtime/stop-tasks-of-turn';
import type { UnitContext } from '@loom/runtime/unit-context';
import { LostUnit } from '@loom/runtime/unit-yield';
import { AppError } from '@loom/shared/app-error';
import type { ChatMessage, ModelReply, Models } from '@loom/shared/chat';
import { faultPoint } from '@loom/shared/fault-point';
import { estimateTokens } from '@loom/shared/text';
import type { ToolDefinition, ToolRegistry } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import { checkParkingCall } from './check-parking-call.ts';
import { distinctCallIds } from './distinct-call-ids.ts';
import type { LiveTexts } from './live-text.ts';
import { modelFailure } from './model-failure.ts';
import { type PendingCall, pendingCalls } from './pending-calls.ts';
import { coworkPrompt } from './prompts/cowork.ts';
import { runToolCalls } from './run-tool-calls.ts';
import { type Delegation, startDelegation } from './start-delegation.ts';
import { parkingToolSpecs, parkingTools, turnTools } from './turn-tools.ts';

export interface TurnDeps {
  runtime: Runtime;
  models: Models;
  tools: ToolDefinition[];
  live: LiveTexts;
}

const defaultContextTokens = 32_000;
/** Kept free for the system prompt, the tools' schemas and the answer. */
const windowShare = 0.7;

/** Runs a turn from wherever its messages end, until text ends it or something parks it. */
export async function handleTurn(
  deps: TurnDeps,
  unit: ClaimedUnit,
  context: UnitContext,
): Promise<void> {
  const { db } = deps.runtime;
  const brief = await loadTurn(db, unit);
  if (brief === null) throw new AppError('internal', `no turn for ${unit.unit_id}`);
  const openIntents =
    unit.epoch === 1 ? new Set<string>() : await loadOpenIntents(db, unit.unit_id);
  await new TurnLoop(deps, unit, context, brief, openIntents).run();
}

class TurnLoop {
  private cancelled: boolean;
  private readonly registry: ToolRegistry;
  private readonly db: Database;

  constructor(
    private readonly deps: TurnDeps,
    private readonly unit: ClaimedUnit,
    private readonly context: UnitContext,
    private readonly brief: TurnBrief,
    private readonly openIntents: ReadonlySet<string>,
  ) {
    this.db = deps.runtime.db;
    this.cancelled = brief.cancel_requested;
    const { max_tool_output_chars } = deps.runtime.config.limits.runner;
    this.registry = turnTools(this.db, unit, deps.tools, max_tool_output_chars);
  }

  async run(): Promise<void> {
    for (;;) {
      this.context.checkpoint();
      if (this.cancelled || this.context.signals.stop.aborted) return this.stop();
      const calls = this.pending();
      const own = calls.filter(({ call }) => !isParking(call.name));
      if (own.length > 0) {
        await this.runTools(own);
        continue;
      }
      if (calls.length > 0) {
        if (await this.runParking(calls)) return;
        continue;
      }
      if (this.iterations() >= this.deps.runtime.config.cowork.max_tool_iterations) {
        return this.fail(
          new AppError(
            'iterations_exhausted',
            'The turn used all of its model calls without an answer.',
          ),
        );
      }
      const reply = await this.ask();
      if (reply === 'stopped') continue;
      if (reply instanceof AppError) return this.fail(reply);
      if (await this.take(reply)) return;
    }
  }

  private own() {
    return this.brief.recent.filter(({ turn_id }) => turn_id === this.unit.turn_id);
  }

  private pending(): PendingCall[] {
    const journal = this.own().map(({ number, message }) => ({ place: number, message }));
    return pendingCalls(this.unit.unit_id, journal);
  }

  private iterations(): number {
    return this.own().filter(({ message }) => message.role === 'assistant').length;
  }

  /** Grows from call to call; a later owner's are newer than those of the one it took over from. */
  private callNumber(): number {
    return this.unit.epoch * 1_000 + this.iterations();
  }

  private async ask(): Promise<ModelReply | AppError | 'stopped'> {
    const { abort, stop } = this.context.signals;
    const model = this.brief.model ?? undefined;
    const info = this.deps.models.select({
      role: 'cowork',
      ...(model === undefined ? {} : { model }),
    });
    const budget = Math.floor((info?.context_tokens ?? defaultContextTokens) * windowShare);
    const { messages, omitted } = packWindow(this.brief.recent, this.unit.turn_id ?? '', budget);
    const older = omitted + Math.max(0, (this.brief.recent[0]?.number ?? 1) - 1);
    const live = this.deps.live.start({
      session_id: this.unit.session_id ?? '',
      turn_id: this.unit.turn_id ?? '',
      call: this.callNumber(),
    });
    faultPoint('model.before');
    try {
      const reply = await this.deps.models.complete({
        role: 'cowork',
        ...(model === undefined ? {} : { model }),
        messages: [coworkPrompt({ ...this.brief, omitted: older }), ...messages],
        tools: [
          ...this.registry.specs(this.registry.list().map(({ name }) => name)),
          ...parkingToolSpecs,
        ],
        signal: AbortSignal.any([abort, stop]),
        on_delta: (text) => live.delta(text),
      });
      faultPoint('model.after');
      return reply;
    } catch (error) {
      if (stop.aborted && !abort.aborted) return 'stopped';
      return modelFailure(error, abort);
    } finally {
      live.end();
    }
  }

  /** Stores a reply; text alone ends the turn in the same commit. True when it ended. */
  private async take(reply: ModelReply): Promise<boolean> {
    const { text, usage, model } = reply;
    const earlier = this.brief.recent.map(({ message }) => message);
    const tool_calls = distinctCallIds(reply.tool_calls, earlier);
    const ended = tool_calls.length === 0;
    await this.commit({
      messages: [{ role: 'assistant', content: text, ...(ended ? {} : { tool_calls }) }],
      call: this.callNumber(),
      events: [{ type: 'model.call', data: { role: 'cowork', model, ...usage } }],
      usage: { tokens: usage.input_tokens + usage.output_tokens, model_calls: 1, tool_calls: 0 },
      input: ended ? { kind: 'finished' } : null,
    });
    return ended;
  }

  private async runTools(calls: PendingCall[]): Promise<void> {
    await runToolCalls({
      calls,
      tools: this.registry,
      workspace: this.brief.workspace,
      signal: this.context.signals.abort,
      openIntents: this.openIntents,
      allowed: new Set(this.registry.list().map(({ name }) => name)),
      boundary: () => {
        this.context.checkpoint();
        return this.cancelled || this.context.signals.stop.aborted;
      },
      commit: async ({ messages, ledger, events, tool_calls }) => {
        await this.commit({
          messages,
          ledger,
          events,
          usage: { tokens: 0, model_calls: 0, tool_calls },
        });
      },
    });
  }

  /** Starts delegations and parks for their results or for the user's answer. True when it parked. */
  private async runParking(calls: PendingCall[]): Promise<boolean> {
    let waits: 'task' | 'user' | null = null;
    for (const { call } of calls) {
      const checked = checkParkingCall(call);
      if (checked.kind === 'invalid') {
        await this.answer(call.id, call.name, checked.text);
      } else if (checked.kind === 'ask_user') {
        if (waits === null) return this.park('user', call.id);
      } else if (await this.delegate(call, checked.input)) {
        waits = 'task';
      }
    }
    // Cancelled before its tasks existed: whoever cancelled could not stop them.
    if (this.cancelled) return false;
    return waits === 'task' ? this.park('task', null) : false;
  }

  /** Starts a call's task; true when the turn is to wait for it. */
  private async delegate(
    call: PendingCall['call'],
    input: Parameters<typeof startDelegation>[1]['input'],
  ): Promise<boolean> {
    let started: Delegation = { task_id: '', after: null };
    const messages: ChatMessage[] = [];
    await this.commit({ messages }, async (client) => {
      // A transaction that met a deadlock starts over, and this with it.
      messages.length = 0;
      started = await startDelegation(client, {
        unit: this.unit,
        call,
        input,
        workspace: this.brief.workspace,
        max_parallel: this.deps.runtime.config.execution.max_parallel_subtasks,
      });
      if (input.wait) return;
      const content = `Task ${started.task_id} was started and runs on its own. Its result is not known yet.`;
      messages.push({ role: 'tool', content, tool_call_id: call.id, tool_name: call.name });
    });
    if (started.after !== null) this.deps.runtime.announce(started.after);
    return input.wait;
  }

  private async answer(callId: string, tool_name: string, content: string): Promise<void> {
    await this.commit({ messages: [{ role: 'tool', content, tool_call_id: callId, tool_name }] });
  }

  private async park(on: 'task' | 'user', callId: string | null): Promise<boolean> {
    const result = await this.commit({ input: { kind: 'parked', on }, awaiting_call_id: callId });
    if (result === 'parked') return true;
    // Every result came in before the turn could park: read them and go on.
    const again = await loadTurn(this.db, this.unit);
    if (again === null) return false;
    this.brief.recent.splice(0, Number.POSITIVE_INFINITY, ...again.recent);
    // They may have come in because the turn is being cancelled, and its tasks with it.
    this.cancelled ||= again.cancel_requested;
    return false;
  }

  private async stop(): Promise<void> {
    const { runtime } = this.deps;
    const { tenant_id, unit_id } = this.unit;
    await stopTasksOfTurn(runtime, { tenant_id, actor: unit_id }, unit_id);
    await this.commit({ input: { kind: 'stopped' } });
  }

  private async fail(error: AppError): Promise<void> {
    const { code, message } = error;
    await this.commit({ input: { kind: 'failed', error: { code, message } } });
  }

  private async commit(
    change: Partial<TurnChange>,
    also?: Parameters<typeof commitTurn>[3],
  ): Promise<'parked' | 'not_parked'> {
    const { tenant_id, session_id, turn_id, unit_id, epoch } = this.unit;
    const whole: TurnChange = {
      tenant_id,
      session_id: session_id ?? '',
      turn_id: turn_id ?? '',
      fence: { unit_id, epoch },
      messages: [],
      ledger: [],
      events: [],
      usage: { tokens: 0, model_calls: 0, tool_calls: 0 },
      input: null,
      awaiting_call_id: null,
      ...change,
    };
    const result = await commitTurn(this.db, whole, decideTurn, also);
    if (result.outcome === 'refused') throw new LostUnit(unit_id);
    if (result.outcome === 'not_parked') return 'not_parked';
    faultPoint('journal.after');
    this.cancelled ||= result.cancel_requested;
    this.remember(whole.messages, result.numbers);
    this.deps.runtime.announce({ rings: result.rings, streams: [whole.session_id], stopped: [] });
    return 'parked';
  }

  private remember(messages: ChatMessage[], numbers: number[]): void {
    for (const [index, message] of messages.entries()) {
      this.brief.recent.push({
        number: numbers[index] ?? 0,
        turn_id: this.unit.turn_id,
        token_count: estimateTokens(message.content + JSON.stringify(message.tool_calls ?? [])),
        message,
      });
    }
  }
}

function isParking(name: string): boolean {
  return (parkingTools as readonly string[]).includes(name);
}
