import type { Wake } from '@loom/shared/wake';
import { expect, test } from 'vitest';
import { createWakeBatch, mergeWakes } from './wake-batch.ts';

const streams = (...ids: string[]): Wake => ({ kind: 'streams', ids });
const live = (
  turn_id: string,
  call: number,
  offset: number,
  text: string,
  kind: 'delta' | 'snapshot' = 'delta',
): Wake => ({ kind: 'live', message: { kind, session_id: 's', turn_id, call, offset, text } });

test('stream wake-ups become one, without repeats', () => {
  expect(mergeWakes([streams('a', 'b'), streams('b'), streams('c')])).toEqual([
    streams('a', 'b', 'c'),
  ]);
  expect(mergeWakes([])).toEqual([]);
});

test('deltas that follow on each other become one, also behind a snapshot', () => {
  expect(
    mergeWakes([live('t', 1, 0, '', 'snapshot'), live('t', 1, 0, 'He'), live('t', 1, 2, 'y')]),
  ).toEqual([live('t', 1, 0, 'Hey', 'snapshot')]);
});

test.each<[string, Wake]>([
  ['another turn', live('u', 1, 2, 'x')],
  ['another call', live('t', 2, 2, 'x')],
  ['a gap', live('t', 1, 3, 'x')],
  ['a snapshot', live('t', 1, 2, 'x', 'snapshot')],
  ['a stop', { kind: 'stop', ids: ['t'], mode: 'cancel' }],
])('nothing is joined across %s', (_name, next) => {
  expect(mergeWakes([live('t', 1, 0, 'He'), next])).toEqual([live('t', 1, 0, 'He'), next]);
});

test('the first leaves at once; what comes while it is under way leaves together', async () => {
  const sent: Wake[][] = [];
  let arrive: () => void = () => undefined;
  const batch = createWakeBatch((wakes) => {
    sent.push(wakes);
    return new Promise((resolve) => {
      arrive = resolve;
    });
  });
  batch.add(streams('a'));
  await Promise.resolve();
  expect(sent).toEqual([[streams('a')]]);
  batch.add(streams('b'));
  batch.add(streams('c'));
  await Promise.resolve();
  expect(sent).toHaveLength(1);
  const idle = batch.idle();
  arrive();
  while (sent.length < 2) await Promise.resolve();
  expect(sent[1]).toEqual([streams('b', 'c')]);
  arrive();
  await idle;
  // A quiet time begins anew.
  batch.add(streams('d'));
  await Promise.resolve();
  expect(sent[2]).toEqual([streams('d')]);
  arrive();
  await batch.idle();
});

test('idle at once when nothing is under way', async () => {
  await createWakeBatch(() => Promise.resolve()).idle();
});
