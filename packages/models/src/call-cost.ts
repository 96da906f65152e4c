import type { TokenUsage } from '@loom/shared/chat';
import type { ModelConfig } from '@loom/shared/config';

type Prices = Pick<ModelConfig, 'input_cost_per_million' | 'output_cost_per_million'>;

/** What a call cost in millionths of a dollar, rounded up: many small calls are never free. */
export function callCost(usage: TokenUsage, prices: Prices): number {
  // A dollar for a million tokens is a millionth of a dollar for each.
  const exact =
    usage.input_tokens * prices.input_cost_per_million +
    usage.output_tokens * prices.output_cost_per_million;
  // Binary fractions must not add a millionth to a price that comes out even.
  return Math.ceil(Math.round(exact * 1e6) / 1e6);
}
