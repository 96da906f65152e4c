import type { ChatMessage, ToolSpec } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import type { NewEvent } from '@loom/shared/events';
import { messageTokens, toolTokens } from './message-tokens.ts';
import { newestExchange } from './newest-exchange.ts';
import { type Compaction, noCompaction, relievePressure } from './relieve-pressure.ts';
import { compactionStages, createShortenedView } from './shortened-view.ts';

interface PressureOptions {
  unit_id: string;
  prompt: readonly ChatMessage[];
  /** What is said at the end of a call, behind the journal. */
  reminder: (journal: readonly ChatMessage[]) => ChatMessage[];
  tools: readonly ToolSpec[];
  /** The model's window, and what of it is kept for the answer. */
  window: { context_tokens: number; output_tokens: number };
  limits: Config['limits']['runner'];
}

/** What an attempt has said and heard so far, and what its calls took in, one for each reply. */
export interface SentBefore {
  journal: readonly ChatMessage[];
  usage: readonly number[];
}

/** A provider that counts oddly must not make the estimate useless. */
const scales = { least: 0.75, most: 4 };

/** What an attempt sends to its model, kept within the model's window. A view: the journal stays whole. */
export class ContextPressure {
  private compaction: Compaction = noCompaction;
  private scale = 1;
  private sent = 0;
  private told: string;
  private readonly view: ReturnType<typeof createShortenedView>;
  private readonly toolTokens: number;

  /**
   * What earlier owners of the unit left out is left out again: it follows from the journal, and
   * from what the provider counted for each of its replies.
   */
  constructor(
    private readonly options: PressureOptions,
    { journal, usage }: SentBefore,
  ) {
    this.view = createShortenedView(options.unit_id);
    this.toolTokens = toolTokens(options.tools);
    const replies = journal.flatMap(({ role }, place) => (role === 'assistant' ? [place] : []));
    for (const [index, place] of replies.entries()) {
      this.messages(journal.slice(0, place), Number.POSITIVE_INFINITY);
      const counted = usage[index];
      if (counted !== undefined) this.learn(counted);
    }
    this.told = this.stages().join();
  }

  /** The messages of the next call. */
  messages(journal: readonly ChatMessage[], secondsLeft: number): ChatMessage[] {
    const { prompt, reminder, limits } = this.options;
    this.relieve(journal, secondsLeft < limits.compaction_timeout_guard_seconds);
    const shown = this.view(journal, this.compaction.cuts);
    const messages = [...prompt, ...shown, ...reminder(journal)];
    this.sent = messageTokens(messages) + this.toolTokens;
    return messages;
  }

  /** Takes the provider's count of what was sent as the measure of the estimate. */
  learn(inputTokens: number): void {
    const scale = inputTokens / Math.max(1, this.sent);
    this.scale = Math.min(scales.most, Math.max(scales.least, scale));
  }

  /** Cuts all old calls down to next to nothing; false when there is nothing left to cut. */
  squeeze(journal: readonly ChatMessage[]): boolean {
    const { cuts } = this.compaction;
    const squeezed = { ...cuts, overflow: newestExchange(journal) };
    const before = messageTokens(this.view(journal, cuts));
    if (messageTokens(this.view(journal, squeezed)) >= before) return false;
    this.compaction = { ...this.compaction, cuts: squeezed };
    return true;
  }

  /** What is to be told of it: only when other stages are at work than were told of before. */
  news(journal: readonly ChatMessage[]): NewEvent[] {
    const stages = this.stages();
    if (stages.join() === this.told) return [];
    this.told = stages.join();
    const { prompt, reminder } = this.options;
    const whole = messageTokens([...prompt, ...journal, ...reminder(journal)]) + this.toolTokens;
    const data = {
      stages,
      tokens_before: Math.round(whole * this.scale),
      tokens_after: Math.round(this.sent * this.scale),
      budget_tokens: Math.floor(this.budget() + this.toolTokens * this.scale),
    };
    return [{ type: 'context.compacted', data }];
  }

  private relieve(journal: readonly ChatMessage[], hurried: boolean): void {
    const { prompt, reminder, limits } = this.options;
    this.compaction = relievePressure(this.compaction, {
      journal,
      view: this.view,
      fixed: messageTokens([...prompt, ...reminder(journal)]),
      budget: this.budget(),
      scale: this.scale,
      hurried,
      limits,
    });
  }

  private budget(): number {
    const { context_tokens, output_tokens } = this.options.window;
    return Math.max(1, context_tokens - output_tokens - this.toolTokens * this.scale);
  }

  private stages(): string[] {
    return compactionStages.filter((stage) => this.compaction.cuts[stage] > 0);
  }
}
