import { expect, it } from 'vitest';
import { toUsage } from './to-usage.ts';

const call = { messages: [{ role: 'user' as const, content: 'x'.repeat(400) }], tools: [] };

it('prefers what the provider counted', () => {
  const reply = { text: 'hi', tool_calls: [], usage: { input_tokens: 7, output_tokens: 3 } };
  expect(toUsage(call, reply)).toEqual({ input_tokens: 7, output_tokens: 3 });
});

it('estimates what was not counted, tool calls included', () => {
  const tool_calls = [{ id: 'a', name: 'write_file', arguments: { content: 'y'.repeat(200) } }];
  const usage = toUsage(call, { text: '', tool_calls, usage: { input_tokens: 0 } });
  expect(usage.input_tokens).toBeGreaterThanOrEqual(100);
  expect(usage.input_tokens).toBeLessThan(120);
  expect(usage.output_tokens).toBeGreaterThanOrEqual(50);
});
