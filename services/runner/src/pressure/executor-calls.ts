import { AppError } from '@loom/shared/app-error';
import type { ChatMessage, ModelReply, ModelRequest, Models, ToolSpec } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import type { NewEvent } from '@loom/shared/events';
import { ContextPressure, type SentBefore } from './context-pressure.ts';

interface ExecutorCallsOptions {
  models: Models;
  config: Config;
  unit_id: string;
  tier: number;
  tools: ToolSpec[];
  prompt: readonly ChatMessage[];
  /** What is said at the end of a call, behind the journal. */
  reminder: (journal: readonly ChatMessage[]) => ChatMessage[];
  /** What was sent before this process held the attempt. */
  before: SentBefore;
}

interface ExecutorCall extends Pick<ModelRequest, 'on_retry'> {
  signal: AbortSignal;
  secondsLeft: number;
}

/** One call of an executor's model, and what is to be told of how its context was kept small. */
export interface ExecutorReply {
  reply: ModelReply;
  events: NewEvent[];
}

const defaultContextTokens = 32_000;
const defaultOutputTokens = 8_192;

/** The model calls of one attempt: each gets the journal so far, as much as the model can read. */
export class ExecutorCalls {
  private readonly pressure: ContextPressure;

  constructor(private readonly options: ExecutorCallsOptions) {
    const { unit_id, prompt, reminder, tools, config, before } = options;
    const window = windowOf(options);
    const limits = config.limits.runner;
    this.pressure = new ContextPressure(
      { unit_id, prompt, reminder, tools, window, limits },
      before,
    );
  }

  /** A model that finds it too long is asked once more, with all old calls cut down to next to nothing. */
  async ask(journal: readonly ChatMessage[], how: ExecutorCall): Promise<ExecutorReply> {
    const reply = await this.complete(journal, how).catch((error: unknown) => {
      if (!this.mayRepeat(error) || !this.pressure.squeeze(journal)) throw error;
      return this.complete(journal, how);
    });
    const events = this.pressure.news(journal);
    this.pressure.learn(reply.usage.input_tokens);
    return { reply, events };
  }

  private complete(
    journal: readonly ChatMessage[],
    { secondsLeft, ...how }: ExecutorCall,
  ): Promise<ModelReply> {
    const { models, tier, tools } = this.options;
    const messages = this.pressure.messages(journal, secondsLeft);
    return models.complete({ role: 'executor', tier, messages, tools, ...how });
  }

  private mayRepeat(error: unknown): boolean {
    const { enable_model_overflow_fallback } = this.options.config.limits.runner;
    const isTooLong = error instanceof AppError && error.code === 'context_too_long';
    return isTooLong && enable_model_overflow_fallback;
  }
}

function windowOf({ models, tier }: ExecutorCallsOptions) {
  const info = models.select({ role: 'executor', tier });
  const context_tokens = info?.context_tokens ?? defaultContextTokens;
  const configured = info?.max_output_tokens ?? defaultOutputTokens;
  // A small window whose answer could fill it whole still has to hold the question.
  return { context_tokens, output_tokens: Math.min(configured, context_tokens / 2) };
}
