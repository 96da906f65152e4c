import { expect, test } from 'vitest';
import { createGroupCommit } from './group-commit.ts';

/** A group commit whose flushes end when the test says so. */
function openWorld(outcome: (items: number[]) => string[] | Error = (items) => items.map(String)) {
  const flushes: { items: number[]; end: () => void }[] = [];
  const commit = createGroupCommit<number, string>(
    (items) =>
      new Promise((resolve, reject) => {
        const end = () => {
          const result = outcome(items);
          if (result instanceof Error) reject(result);
          else resolve(result);
        };
        flushes.push({ items, end });
      }),
    // Items from 1,000 on that end in the same digit lock the same thing.
    (item) => (item < 1_000 ? `${item}` : `shared ${item % 10}`),
  );
  const settled = async () => {
    // Let everything that can go on without a flush ending do so.
    for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { commit, flushes, settled };
}

test('a lone item goes at once', async () => {
  const { commit, flushes } = openWorld();
  const result = commit.add(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(flushes.map(({ items }) => items)).toEqual([[1]]);
  flushes[0]?.end();
  expect(await result).toBe('1');
});

test('items of one tick go together, and each gets its own result', async () => {
  const { commit, flushes, settled } = openWorld();
  const results = Promise.all([commit.add(1), commit.add(2), commit.add(3)]);
  await settled();
  expect(flushes.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  flushes[0]?.end();
  expect(await results).toEqual(['1', '2', '3']);
});

test('at most two flushes are under way; what is added meanwhile goes together afterwards', async () => {
  const { commit, flushes, settled } = openWorld();
  const results = [commit.add(1)];
  await settled();
  results.push(commit.add(2));
  await settled();
  for (const item of [3, 4, 5]) {
    results.push(commit.add(item));
    await settled();
  }
  expect(flushes.map(({ items }) => items)).toEqual([[1], [2]]);
  flushes[1]?.end();
  await settled();
  expect(flushes.map(({ items }) => items)).toEqual([[1], [2], [3, 4, 5]]);
  flushes[0]?.end();
  flushes[2]?.end();
  expect(await Promise.all(results)).toEqual(['1', '2', '3', '4', '5']);
});

test('a set is bounded', async () => {
  const { commit, flushes, settled } = openWorld();
  const results = Promise.all(Array.from({ length: 700 }, (_, item) => commit.add(item)));
  await settled();
  expect(flushes.map(({ items }) => items.length)).toEqual([300, 300]);
  flushes[0]?.end();
  await settled();
  expect(flushes.map(({ items }) => items.length)).toEqual([300, 300, 100]);
  for (const { end } of flushes) end();
  expect((await results).at(-1)).toBe('699');
});

test('one bad item does not fail its neighbours', async () => {
  const { commit, flushes, settled } = openWorld((items) =>
    items.includes(2) ? new Error(`bad: ${items}`) : items.map(String),
  );
  const results = Promise.allSettled([commit.add(1), commit.add(2), commit.add(3)]);
  for (let at = 0; at < 4; at++) {
    await settled();
    flushes[at]?.end();
  }
  expect(await results).toEqual([
    { status: 'fulfilled', value: '1' },
    { status: 'rejected', reason: new Error('bad: 2') },
    { status: 'fulfilled', value: '3' },
  ]);
  expect(flushes.map(({ items }) => items)).toEqual([[1, 2, 3], [1], [2], [3]]);
});

test('a lone bad item is not tried twice, and the next one goes on', async () => {
  const { commit, flushes, settled } = openWorld((items) =>
    items.includes(1) ? new Error('bad') : items.map(String),
  );
  const bad = commit.add(1);
  await settled();
  flushes[0]?.end();
  await expect(bad).rejects.toThrow('bad');
  const good = commit.add(2);
  await settled();
  flushes[1]?.end();
  expect(await good).toBe('2');
  expect(flushes).toHaveLength(2);
});

test('idle waits for what is queued and under way, and for nothing else', async () => {
  const { commit, flushes, settled } = openWorld();
  await commit.idle();
  const results = [commit.add(1)];
  await settled();
  results.push(commit.add(2));
  await settled();
  results.push(commit.add(3));
  let isIdle = false;
  const idle = commit.idle().then(() => {
    isIdle = true;
  });
  flushes[0]?.end();
  flushes[1]?.end();
  await settled();
  expect(isIdle).toBe(false);
  flushes[2]?.end();
  await Promise.all([...results, idle]);
});

test('sets under way never share a key, and the others do not wait for it', async () => {
  const { commit, flushes, settled } = openWorld();
  const results = [commit.add(1_001)];
  await settled();
  results.push(commit.add(1_011), commit.add(1_021), commit.add(2));
  await settled();
  expect(flushes.map(({ items }) => items)).toEqual([[1_001], [2]]);
  flushes[1]?.end();
  await settled();
  expect(flushes).toHaveLength(2);
  flushes[0]?.end();
  await settled();
  expect(flushes.map(({ items }) => items)).toEqual([[1_001], [2], [1_011, 1_021]]);
  flushes[2]?.end();
  expect(await Promise.all(results)).toEqual(['1001', '1011', '1021', '2']);
});
