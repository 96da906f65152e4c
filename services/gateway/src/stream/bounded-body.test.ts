import { expect, it } from 'vitest';
import { createBoundedBody } from './bounded-body.ts';

const big = 'x'.repeat(70_000);

it('waits for a reader that is behind, and goes on when it reads', async () => {
  const body = createBoundedBody({ write_timeout_ms: 60_000 });
  let isWritten = false;
  const writing = body.write(big).then((open) => {
    isWritten = open;
  });
  await Promise.resolve();
  expect(isWritten).toBe(false);
  const reader = body.stream.getReader();
  expect((await reader.read()).value?.byteLength).toBe(big.length);
  await writing;
  expect(isWritten).toBe(true);
  body.close();
  expect((await reader.read()).done).toBe(true);
  expect(await body.when_closed).toBe('ended');
});

it('gives up a reader that takes nothing', async () => {
  const body = createBoundedBody({ write_timeout_ms: 5 });
  expect(await body.write(big)).toBe(false);
  expect(await body.when_closed).toBe('stalled');
  await expect(body.stream.getReader().read()).rejects.toThrow('does not read');
});

it('stops at once when the reader leaves', async () => {
  const body = createBoundedBody({ write_timeout_ms: 60_000 });
  const writing = body.write(big);
  await body.stream.cancel();
  expect(await writing).toBe(false);
  expect(await body.when_closed).toBe('left');
  expect(await body.write('more')).toBe(false);
});
