import type { ToolCall } from '@loom/shared/chat';
import { expect, test } from 'vitest';
import { distinctCallIds } from './distinct-call-ids.ts';

const call = (id: string): ToolCall => ({ id, name: 'read_file', arguments: { path: id } });

test('ids that nobody has used stay as the model gave them', () => {
  expect(distinctCallIds([call('a'), call('b')], [{ role: 'user', content: 'hi' }])).toEqual([
    call('a'),
    call('b'),
  ]);
});

test('an id used earlier or twice gets a number, and nothing else changes', () => {
  const earlier = [
    { role: 'assistant', content: '', tool_calls: [call('call_0'), call('call_0-2')] } as const,
  ].map((message) => ({ ...message, tool_calls: [...message.tool_calls] }));
  const distinct = distinctCallIds([call('call_0'), call('x'), call('x')], earlier);
  expect(distinct.map(({ id }) => id)).toEqual(['call_0-3', 'x', 'x-2']);
  expect(distinct[0]).toEqual({ ...call('call_0'), id: 'call_0-3' });
});
