import type { Database } from '@loom/db/database';
import { type AttemptBrief, loadAttempt, readableRoots } from '@loom/db/load-attempt';
import { loadCallUsage } from '@loom/db/load-call-usage';
import { loadJournal, loadOpenIntents } from '@loom/db/load-journal';
import { loadModelWait } from '@loom/db/load-model-wait';
import { loadTaskGrants, noGrants, type SessionGrants } from '@loom/db/session-grants';
import { parkForModel } from '@loom/runtime/model-park';
import type { UnitContext, UnitWork } from '@loom/runtime/unit-context';
import { AppError } from '@loom/shared/app-error';
import { nothingSpent } from '@loom/shared/budget';
import type { ChatMessage, Models } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import type { NewEvent } from '@loom/shared/events';
import { faultPoint } from '@loom/shared/fault-point';
import type { ToolRegistry } from '@loom/shared/tool';
import type { ClaimedUnit, WorkSigns } from '@loom/shared/work';
import { deadlineSignal, reachedLimit, secondsLeft, timeExhausted } from './attempt-limits.ts';
import { type CallGate, createCallGate } from './call-gate.ts';
import { type CallPlace, createCallPlace } from './call-place.ts';
import { oneModelCall, toolWants } from './call-wants.ts';
import { unwrapRunTool } from './catalog/run-tool.ts';
import { closingWork } from './completion/closing-work.ts';
import { distinctCallIds } from './distinct-call-ids.ts';
import { earlierEffect } from './earlier-effect.ts';
import { newDiscoveries } from './heard-discoveries.ts';
import { newlyHeard } from './heard-guidance.ts';
import { isModelAway, modelFailure } from './model-failure.ts';
import { type PendingCall, pendingCalls } from './pending-calls.ts';
import type { ExecutorCalls, ExecutorReply } from './pressure/executor-calls.ts';
import { executorCallsOf } from './pressure/executor-calls-of.ts';
import { runToolCalls, type ToolCallsOutcome } from './run-tool-calls.ts';
import { attemptWritePolicy } from './write-policy/attempt-write-policy.ts';
import type { WritePolicy } from './write-policy/create-write-policy.ts';

export interface SubtaskDeps {
  db: Database;
  models: Models;
  tools: ToolRegistry;
  config: Config;
  now: () => Date;
}

/** Runs one attempt: model and tools in turn, from wherever the journal ends, until text ends it or it parks. */
export async function handleSubtask(
  deps: SubtaskDeps,
  unit: ClaimedUnit,
  context: UnitContext,
): Promise<void> {
  const memory_entries = deps.config.memory.prompt_max_entries;
  const brief = await loadAttempt(deps.db, unit, { memory_entries });
  if (brief === null) throw new AppError('internal', `no attempt for ${unit.unit_id}`);
  // A first claim has no past to read.
  const fresh = unit.epoch === 1;
  const [journal, openIntents, usage] = fresh
    ? [[], new Set<string>(), []]
    : await Promise.all([
        loadJournal(deps.db, unit.unit_id),
        loadOpenIntents(deps.db, unit.unit_id),
        loadCallUsage(deps.db, unit),
      ]);
  await new AttemptLoop(deps, unit, context, { brief, journal, usage, openIntents }).run();
}

/** What is known of an attempt when a process takes it up. */
interface AttemptSoFar {
  brief: AttemptBrief;
  journal: ChatMessage[];
  usage: number[];
  openIntents: ReadonlySet<string>;
}

class AttemptLoop {
  private readonly brief: AttemptBrief;
  private readonly journal: ChatMessage[];
  private readonly openIntents: ReadonlySet<string>;
  private signs: WorkSigns;
  /** Waits for the model in a row, up to now. */
  private parks: number;
  private readonly ref: { subtask_id: string; attempt: number };
  private readonly executor: ExecutorCalls;
  private readonly allowed: Set<string>;
  private gate: CallGate;
  private readonly place: CallPlace;
  private readonly writePolicy: WritePolicy;

  constructor(
    private readonly deps: SubtaskDeps,
    private readonly unit: ClaimedUnit,
    private readonly context: UnitContext,
    { brief, journal, usage, openIntents }: AttemptSoFar,
  ) {
    this.brief = brief;
    this.journal = journal;
    this.openIntents = openIntents;
    // What was asked for before this process held the unit is known from here on.
    const { stopping, pausing, guidance, discoveries } = brief;
    this.signs = { stopping, pausing, granted: true, guidance, discoveries };
    this.parks = brief.model_parks;
    this.ref = { subtask_id: unit.subtask_id ?? '', attempt: unit.attempt ?? 0 };
    this.gate = this.gateWith(brief.granted);
    this.place = createCallPlace(deps.db, unit, this.reachWith(brief.granted));
    this.allowed = allowedTools(deps.tools, brief);
    this.executor = executorCallsOf(deps, {
      unit,
      brief,
      before: { journal, usage },
      allowed: this.allowed,
    });
    this.writePolicy = attemptWritePolicy(unit, brief);
  }

  private gateWith({ tools }: SessionGrants): CallGate {
    const { approval_policy, allowed_tools, approvals } = this.brief;
    return createCallGate({
      ...approval_policy,
      allowed_tools: [...allowed_tools, ...tools],
      approvals,
    });
  }

  private reachWith(granted: SessionGrants) {
    const { task } = this.brief;
    const { tenant_id } = this.unit;
    const read_roots = readableRoots(task, granted);
    return { tenant_id, workspace: task.workspace, read_roots, network: granted.network };
  }

  /** A session may end while its tasks run, and its grants with it: they hold for one call at a time. */
  private async lookAtGrants(): Promise<void> {
    if (this.brief.granted === noGrants) return;
    const granted = await loadTaskGrants(this.deps.db, this.unit);
    this.gate = this.gateWith(granted);
    this.place.reach = this.reachWith(granted);
  }

  async run(): Promise<void> {
    let asksAgain = this.unit.metered && this.unit.epoch > 1;
    for (;;) {
      this.context.checkpoint();
      if (this.isStopping()) return this.cancel();
      if (this.signs.pausing) return this.commit({ park: { reason: 'pause', seconds: null } });
      if (!this.signs.granted) return this.fail(budgetSpent());
      const calls = this.pending();
      if (asksAgain) {
        asksAgain = false;
        await this.commit({ wants: this.wantsFor(calls) });
      } else if (calls.length > 0) {
        const outcome = await this.runTools(calls);
        if (outcome.kind === 'ask') return this.requestApproval(outcome);
      } else if (!(await this.hearOthers()) && (await this.askModel())) {
        return;
      }
    }
  }

  private isStopping(): boolean {
    return this.signs.stopping || this.context.signals.stop.aborted;
  }

  private pending(): PendingCall[] {
    return pendingCalls(
      this.unit.unit_id,
      this.journal.map((message, place) => ({ place, message })),
    ).map(unwrapRunTool);
  }

  /** What must be granted before the next step of a unit that goes on from a journal. */
  private wantsFor(calls: PendingCall[]) {
    if (calls.length === 0) return oneModelCall;
    return toolWants(
      calls.map(({ call }) => call),
      this.deps.tools,
    );
  }

  /** Takes in what people said and what other subtasks found since the last step. True when there was something. */
  private async hearOthers(): Promise<boolean> {
    const heard = newlyHeard(this.journal, this.signs.guidance, this.ref.subtask_id);
    const found = newDiscoveries(this.journal, this.signs.discoveries);
    if (heard === null && found === null) return false;
    await this.commit({
      journal: [...(heard?.journal ?? []), ...(found === null ? [] : [found])],
      events: heard?.events ?? [],
    });
    return true;
  }

  /** One model call and what follows from it. True when the attempt ended or parked. */
  private async askModel(): Promise<boolean> {
    const { deps, journal, brief } = this;
    const limit = reachedLimit({ ...brief, journal }, deps.config.limits.runner, deps.now());
    if (limit !== null) return this.end(this.fail(limit));
    const reply = await this.complete();
    if (reply === 'stopped') return false;
    if (!(reply instanceof AppError)) return this.take(reply);
    return this.end(isModelAway(reply) ? this.awaitModel(reply) : this.fail(reply));
  }

  private async end(ending: Promise<void>): Promise<true> {
    await ending;
    return true;
  }

  private async complete(): Promise<ExecutorReply | AppError | 'stopped'> {
    const { abort, stop } = this.context.signals;
    const seconds = this.secondsLeft();
    const deadline = deadlineSignal(seconds);
    faultPoint('model.before');
    try {
      const signal = AbortSignal.any([abort, stop, deadline]);
      const on_retry = this.context.noteRetry('executor');
      const how = { signal, secondsLeft: seconds, on_retry };
      const reply = await this.executor.ask(this.journal, how);
      faultPoint('model.after');
      return reply;
    } catch (error) {
      if (stop.aborted && !abort.aborted) return 'stopped';
      if (deadline.aborted && !abort.aborted) return timeExhausted(this.deps.config.limits.runner);
      return modelFailure(error, abort);
    }
  }

  private secondsLeft(): number {
    const { config, now } = this.deps;
    return secondsLeft(this.brief, config.limits.runner, now());
  }

  /** Stores a reply; text alone ends the attempt in the same commit, if it is a proper end. True when it ended. */
  private async take({ reply, events }: ExecutorReply): Promise<boolean> {
    const { text, usage, model, cost_micros } = reply;
    const { deps, unit, journal } = this;
    this.parks = 0;
    const tool_calls = distinctCallIds(reply.tool_calls, journal);
    const mode = deps.config.execution.executor_completion_contract_mode;
    const isText = tool_calls.length === 0;
    const more = isText ? await closingWork(deps.db, unit, { text, mode, journal }) : null;
    const called: NewEvent = { type: 'model.call', data: { role: 'executor', model, ...usage } };
    const tokens = usage.input_tokens + usage.output_tokens;
    await this.commit({
      journal: [
        { role: 'assistant', content: text, ...(isText ? {} : { tool_calls }) },
        ...(more?.journal ?? []),
      ],
      events: [...events, called, ...(more?.events ?? [])],
      spent: { ...nothingSpent, tokens, cost_micros, model_calls: 1 },
      model,
      wants: more === null ? toolWants(tool_calls, deps.tools) : more.wants,
      input: more?.input ?? null,
    });
    return (more?.input ?? null) !== null;
  }

  private async runTools(calls: PendingCall[]): Promise<ToolCallsOutcome> {
    return runToolCalls({
      calls,
      tools: this.deps.tools,
      place: this.place,
      signal: AbortSignal.any([this.context.signals.abort, deadlineSignal(this.secondsLeft())]),
      openIntents: this.openIntents,
      allowed: this.allowed,
      gate: (pending, effect) => this.gate(pending, effect),
      lookAgain: () => this.lookAtGrants(),
      refuse: this.writePolicy,
      earlierEffect: (call) => this.earlierEffect(call),
      boundary: () => {
        this.context.checkpoint();
        return this.isStopping() || this.signs.pausing;
      },
      commit: ({ messages, last, ...record }) =>
        this.commit({ ...record, journal: messages, wants: last ? oneModelCall : null }),
    });
  }

  private async earlierEffect(call: PendingCall) {
    const { db, config } = this.deps;
    if (!config.execution.enable_mutation_idempotency) return null;
    return earlierEffect(db, this.unit, this.journal, call);
  }

  /** Gives the worker back until a person has said whether a call may run. */
  private async requestApproval({ pending, reason }: Extract<ToolCallsOutcome, { kind: 'ask' }>) {
    const { name, arguments: args } = pending.call;
    await this.commit({
      input: {
        kind: 'approval_requested',
        ...this.ref,
        call_key: pending.key,
        tool: name,
        arguments: args,
        reason,
      },
      park: { reason: 'approval', seconds: null },
    });
  }

  /** Gives the worker back until the model is likely to answer again, as long as there is patience left. */
  private async awaitModel(error: AppError): Promise<void> {
    const parked_seconds = await loadModelWait(this.deps.db, this.unit, 'executor');
    const parking = { role: 'executor', parked_seconds, model_parks: this.parks } as const;
    const work = parkForModel(this.deps.config, error, parking);
    await (work === null ? this.fail(error) : this.commit(work));
  }

  private async fail({ code, message }: AppError): Promise<void> {
    await this.commit({
      input: { kind: 'attempt_failed', ...this.ref, failure: { code, message } },
    });
  }

  private async cancel(): Promise<void> {
    await this.commit({ input: { kind: 'attempt_cancelled', ...this.ref } });
  }

  private async commit(work: UnitWork): Promise<void> {
    const signs = await this.context.commit({
      journal_from: this.journal.length,
      ...work,
      wants: this.unit.metered ? (work.wants ?? null) : null,
    });
    this.journal.push(...(work.journal ?? []));
    this.signs = { ...signs, stopping: this.signs.stopping || signs.stopping };
  }
}

function budgetSpent(): AppError {
  return new AppError(
    'budget_exhausted',
    'A budget was used up, so no more calls were made. The event task.budget_exhausted names it.',
  );
}

/** Sorted, so that what a model is told of its tools is the same for every call and every subtask. */
function allowedTools(tools: ToolRegistry, { spec }: AttemptBrief): Set<string> {
  const names = tools.list().map(({ name }) => name);
  return new Set(names.filter((name) => spec.tools?.includes(name) ?? true).sort());
}
