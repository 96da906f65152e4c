import type { ChatMessage } from '@loom/shared/chat';
import type { JsonObject } from '@loom/shared/json';

/** What the demo model says: text, and the calls it wants. */
export interface DemoAnswer {
  text: string;
  calls: { name: string; arguments: JsonObject }[];
}

/** What the demo model looks at. */
export interface DemoQuestion {
  messages: readonly ChatMessage[];
  /** The text in which blocks are looked for: user messages first, then system messages. */
  prompt: string;
  /** Names of the tools on offer. */
  tools: ReadonlySet<string>;
}

/** An answer without calls. */
export function say(text: string): DemoAnswer {
  return { text, calls: [] };
}
