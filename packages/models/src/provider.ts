import type { ChatMessage, ModelRole, TokenUsage, ToolCall, ToolSpec } from '@loom/shared/chat';

/** One try of one model call, as a provider sees it: no retries, no routing, no names. */
export interface ProviderCall {
  role: ModelRole;
  messages: ChatMessage[];
  tools: ToolSpec[];
  signal: AbortSignal;
  /** Absent: the reply is wanted in one piece. */
  on_delta?: (text: string) => void;
}

/** What came back; `usage` is what the provider counted, if it counted. */
export interface ProviderReply {
  text: string;
  tool_calls: ToolCall[];
  usage: Partial<TokenUsage>;
}

/** Asks one model once and throws whatever went wrong. */
export type Provider = (call: ProviderCall) => Promise<ProviderReply>;
