import { expect, it } from 'vitest';
import { callCost } from './call-cost.ts';

const prices = (input: number, output: number) => ({
  input_cost_per_million: input,
  output_cost_per_million: output,
});

it.each([
  ['nothing without prices', 1_000, 500, prices(0, 0), 0],
  ['both directions', 1_000, 500, prices(3, 15), 10_500],
  ['a fraction as a whole', 1, 0, prices(0.1, 0), 1],
  ['a sum with a fraction as the next whole', 3, 0, prices(1.1, 0), 4],
  ['an even price without a binary remainder', 50, 0, prices(1.1, 0), 55],
  ['nothing for no tokens', 0, 0, prices(3, 15), 0],
])('counts %s', (_, input_tokens, output_tokens, price, micros) => {
  expect(callCost({ input_tokens, output_tokens }, price)).toBe(micros);
});
