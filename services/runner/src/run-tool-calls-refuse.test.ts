import { expect, test } from 'vitest';
import { call, openToolWorld } from './test-support/tool-world.ts';

test('a refused call is answered with the sentence, and nobody is asked about it', async () => {
  const world = openToolWorld();
  const asked: string[] = [];
  const outcome = await world.run([call('a', 'put'), call('b', 'put')], {
    refuse: ({ call: { id } }) => (id === 'a' ? 'Do b instead.' : null),
    gate: ({ call: { id } }) => {
      asked.push(id);
      return { kind: 'run', edited: null };
    },
  });
  expect(outcome).toEqual({ kind: 'done' });
  expect(asked).toEqual(['b']);
  expect(world.log.filter((line) => line.startsWith('put'))).toEqual([
    'put b begins',
    'put b ends',
  ]);
  expect(world.records[0]).toMatchObject({
    messages: [{ role: 'tool', content: 'Do b instead.', tool_call_id: 'a' }],
    ledger: [],
    events: [{ type: 'tool.call' }, { type: 'tool.error', data: { code: 'invalid_arguments' } }],
  });
});

test('arguments that cannot be used are told of first', async () => {
  const world = openToolWorld();
  await world.run([call('a', 'put', { nme: 'x' })], { refuse: () => 'not this way' });
  expect(world.records[0]?.messages[0]?.content).toContain('name');
});
