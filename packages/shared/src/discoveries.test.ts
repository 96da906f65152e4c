import { expect, it } from 'vitest';
import { addDiscoveries } from './discoveries.ts';

it('adds what a subtask found, each once', () => {
  const known = addDiscoveries([], 'a', ['one', 'two', 'one']);
  expect(known).toEqual([
    { subtask_id: 'a', summary: 'one' },
    { subtask_id: 'a', summary: 'two' },
  ]);
  expect(addDiscoveries(known, 'a', ['two'])).toEqual(known);
  expect(addDiscoveries(known, 'b', ['two'])).toHaveLength(3);
});

it('cuts what is long, and knows it again', () => {
  const long = `${'x'.repeat(299)}\u{1F600}`;
  const known = addDiscoveries([], 'a', [long]);
  expect(known[0]?.summary).toBe(`${'x'.repeat(299)}\uFFFD`);
  expect(addDiscoveries(known, 'a', [long])).toEqual(known);
});

it('forgets the oldest first', () => {
  const found = Array.from({ length: 60 }, (_, index) => `${index}`);
  const known = addDiscoveries([{ subtask_id: 'b', summary: 'old' }], 'a', found);
  expect(known).toHaveLength(50);
  expect(known[0]).toEqual({ subtask_id: 'a', summary: '10' });
});
