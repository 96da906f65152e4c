import type { Wake } from '@loom/shared/wake';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitWake } from './split-wake.ts';
import { mergeWakes } from './wake-batch.ts';

/** What travels: NOTIFY takes less than 8,000 bytes. */
function bytes(part: Wake): number {
  return Buffer.byteLength(JSON.stringify({ from: 'x'.repeat(36), wakes: [part] }));
}
const id = (n: number) => `turn_${String(n).padStart(26, '0')}`;
const ids = (count: number) => Array.from({ length: count }, (_, n) => id(n));

test('every part of any text fits, and together they are the text', () => {
  const characters = fc.constantFrom('a', 'ö', '漢', '😀', '\u0001', '"', '\\', '\n');
  const texts = fc.array(characters, { maxLength: 4_000, size: 'max' });
  fc.assert(
    fc.property(texts, fc.constantFrom('delta', 'snapshot'), (pieces, kind) => {
      const text = pieces.join('');
      const message = { kind, session_id: id(1), turn_id: id(2), call: 1_001, offset: 7, text };
      const parts = splitWake({ kind: 'live', message });
      for (const part of parts) expect(bytes(part)).toBeLessThan(8_000);
      // Over the wire each part is JSON of its own; a pair of surrogates may be split between two.
      const received = parts.map((part): Wake => JSON.parse(JSON.stringify(part)));
      expect(mergeWakes(received)).toEqual([{ kind: 'live', message }]);
    }),
    { numRuns: 30 },
  );
});

test.each([
  ['streams', { kind: 'streams', ids: ids(1_000) }],
  ['stop', { kind: 'stop', ids: ids(1_000), mode: 'abort' }],
] as const)('many ids of %s are spread over parts that fit', (_name, wake) => {
  const parts = splitWake({ ...wake, ids: [...wake.ids] });
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) {
    expect(bytes(part)).toBeLessThan(8_000);
    expect(part).toMatchObject({ ...wake, ids: expect.anything() });
  }
  expect(parts.flatMap((part) => ('ids' in part ? part.ids : []))).toEqual(wake.ids);
});

test('what is small stays as it is', () => {
  const wakes: Wake[] = [
    { kind: 'snapshot_wanted', session_id: id(1) },
    { kind: 'stop', ids: [id(1)], mode: 'cancel' },
    { kind: 'streams', ids: [id(1)] },
  ];
  for (const wake of wakes) expect(splitWake(wake)).toEqual([wake]);
});
