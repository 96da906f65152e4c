import type { TokenUsage } from '@loom/shared/chat';
import type { ProviderCall, ProviderReply } from './provider.ts';

const charsPerToken = 4;

/** What the provider counted; what it did not count is estimated from the length of the text. */
export function toUsage(call: Pick<ProviderCall, 'messages' | 'tools'>, reply: ProviderReply) {
  const usage: TokenUsage = {
    input_tokens: reply.usage.input_tokens || estimate([...call.messages, ...call.tools]),
    output_tokens: reply.usage.output_tokens || estimate([reply.text, ...reply.tool_calls]),
  };
  return usage;
}

function estimate(parts: readonly unknown[]): number {
  let chars = 0;
  for (const part of parts) {
    chars += typeof part === 'string' ? part.length : JSON.stringify(part).length;
  }
  return Math.ceil(chars / charsPerToken);
}
