import type { Database } from '@loom/db/database';
import { type AttemptBrief, loadAttempt } from '@loom/db/load-attempt';
import { loadJournal, loadOpenIntents } from '@loom/db/load-journal';
import type { UnitContext } from '@loom/runtime/unit-context';
import { AppError } from '@loom/shared/app-error';
import type { ChatMessage, ModelReply, Models } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import { faultPoint } from '@loom/shared/fault-point';
import type { TaskInput } from '@loom/shared/task-state';
import type { ToolRegistry } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import { attemptEnd } from './attempt-end.ts';
import { distinctCallIds } from './distinct-call-ids.ts';
import { modelFailure } from './model-failure.ts';
import { pendingCalls } from './pending-calls.ts';
import { executorPrompt, executorReminder } from './prompts/executor.ts';
import { runToolCalls } from './run-tool-calls.ts';

export interface SubtaskDeps {
  db: Database;
  models: Models;
  tools: ToolRegistry;
  config: Config;
  now: () => Date;
}

/** Runs one attempt: model and tools in turn, from wherever the journal ends, until text ends it. */
export async function handleSubtask(
  deps: SubtaskDeps,
  unit: ClaimedUnit,
  context: UnitContext,
): Promise<void> {
  const brief = await loadAttempt(deps.db, unit);
  if (brief === null) throw new AppError('internal', `no attempt for ${unit.unit_id}`);
  // A first claim has no past to read.
  const fresh = unit.epoch === 1;
  const journal = fresh ? [] : await loadJournal(deps.db, unit.unit_id);
  const openIntents = fresh ? new Set<string>() : await loadOpenIntents(deps.db, unit.unit_id);
  const attempt = new AttemptLoop(deps, unit, context, brief, journal, openIntents);
  await attempt.run();
}

class AttemptLoop {
  private stopping = false;
  private readonly prompt: ChatMessage[];
  private readonly allowed: Set<string>;

  constructor(
    private readonly deps: SubtaskDeps,
    private readonly unit: ClaimedUnit,
    private readonly context: UnitContext,
    private readonly brief: AttemptBrief,
    private readonly journal: ChatMessage[],
    private readonly openIntents: ReadonlySet<string>,
  ) {
    this.prompt = executorPrompt(brief);
    const all = deps.tools.list().map(({ name }) => name);
    this.allowed = new Set(
      brief.spec.tools === undefined ? all : all.filter((name) => brief.spec.tools?.includes(name)),
    );
  }

  async run(): Promise<void> {
    for (;;) {
      this.context.checkpoint();
      if (this.isStopping()) return this.finish('attempt_cancelled');
      const calls = this.pending();
      if (calls.length > 0) {
        await this.runTools(calls);
        continue;
      }
      const exhausted = this.exhausted();
      if (exhausted !== null) return this.fail(exhausted);
      const reply = await this.ask();
      if (reply === 'stopped') continue;
      if (reply instanceof AppError) return this.fail(reply);
      if (await this.take(reply)) return;
    }
  }

  private isStopping(): boolean {
    return this.stopping || this.context.signals.stop.aborted;
  }

  private pending() {
    return pendingCalls(
      this.unit.unit_id,
      this.journal.map((message, place) => ({ place, message })),
    );
  }

  private exhausted(): AppError | null {
    const { max_tool_iterations, max_subtask_wall_clock_seconds } = this.deps.config.limits.runner;
    const iterations = this.journal.filter(({ role }) => role === 'assistant').length;
    if (iterations >= max_tool_iterations) {
      return new AppError(
        'iterations_exhausted',
        `The attempt used all of its ${max_tool_iterations} model calls without finishing.`,
      );
    }
    const seconds = (this.deps.now().getTime() - this.brief.started_at.getTime()) / 1_000;
    if (seconds > max_subtask_wall_clock_seconds) {
      return new AppError(
        'time_exhausted',
        `The attempt took longer than ${max_subtask_wall_clock_seconds} seconds.`,
      );
    }
    return null;
  }

  private async ask(): Promise<ModelReply | AppError | 'stopped'> {
    const { abort, stop } = this.context.signals;
    const reminder = this.journal.at(-1)?.role === 'tool' ? [executorReminder(this.brief)] : [];
    faultPoint('model.before');
    try {
      const reply = await this.deps.models.complete({
        role: 'executor',
        tier: this.brief.tier,
        messages: [...this.prompt, ...this.journal, ...reminder],
        tools: this.deps.tools.specs([...this.allowed]),
        signal: AbortSignal.any([abort, stop]),
      });
      faultPoint('model.after');
      return reply;
    } catch (error) {
      if (stop.aborted && !abort.aborted) return 'stopped';
      return modelFailure(error, abort);
    }
  }

  /** Stores a reply; text alone ends the attempt in the same commit. True when it ended. */
  private async take(reply: ModelReply): Promise<boolean> {
    const { text, usage, model } = reply;
    const tool_calls = distinctCallIds(reply.tool_calls, this.journal);
    const ended = tool_calls.length === 0;
    const message: ChatMessage = {
      role: 'assistant',
      content: text,
      ...(ended ? {} : { tool_calls }),
    };
    const { stopping } = await this.context.commit({
      journal: [message],
      journal_from: this.journal.length,
      events: [{ type: 'model.call', data: { role: 'executor', model, ...usage } }],
      usage: { tokens: usage.input_tokens + usage.output_tokens, model_calls: 1, tool_calls: 0 },
      model,
      input: ended
        ? await attemptEnd(this.deps.db, this.unit, text, this.journal.length > 0)
        : null,
    });
    this.journal.push(message);
    this.stopping ||= stopping;
    return ended;
  }

  private async runTools(calls: ReturnType<AttemptLoop['pending']>): Promise<void> {
    await runToolCalls({
      calls,
      tools: this.deps.tools,
      workspace: this.brief.task.workspace,
      signal: this.context.signals.abort,
      openIntents: this.openIntents,
      allowed: this.allowed,
      boundary: () => {
        this.context.checkpoint();
        return this.isStopping();
      },
      commit: async ({ messages, ledger, events, tool_calls }) => {
        const { stopping } = await this.context.commit({
          journal: messages,
          journal_from: this.journal.length,
          ledger,
          events,
          usage: { tokens: 0, model_calls: 0, tool_calls },
        });
        this.journal.push(...messages);
        this.stopping ||= stopping;
      },
    });
  }

  private async fail(error: AppError): Promise<void> {
    await this.finish('attempt_failed', { code: error.code, message: error.message });
  }

  private async finish(
    kind: 'attempt_failed' | 'attempt_cancelled',
    failure = { code: '', message: '' },
  ): Promise<void> {
    const ref = { subtask_id: this.unit.subtask_id ?? '', attempt: this.unit.attempt ?? 0 };
    const input: TaskInput =
      kind === 'attempt_failed' ? { kind, ...ref, failure } : { kind, ...ref };
    await this.context.commit({ input });
  }
}
