import { expect, it } from 'vitest';
import { type Cut, cutBytes } from './cut-bytes.ts';

const stream = 'id: 12\nevent: x\ndata: "é漢"\n\nid: 13\n\n';

/** What comes through; settles once the source was told to stop. */
async function pass(cut: Cut, chunkSize: number): Promise<Buffer> {
  const bytes = Buffer.from(stream);
  let at = 0;
  let passed: ReadableStream<Uint8Array> | null = null;
  const left = new Promise<void>((resolve) => {
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + chunkSize));
        at += chunkSize;
      },
      cancel: () => resolve(),
    });
    passed = source.pipeThrough(cutBytes(cut, () => {}));
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of passed ?? []) chunks.push(chunk);
  await left;
  return Buffer.concat(chunks);
}

it.each<[Cut, string | number]>([
  [{ after: 0, at: 'anywhere' }, 0],
  [{ after: 9, at: 'anywhere' }, 9],
  [{ after: 0, at: 'cursor' }, 'id: 1'],
  [{ after: 1, at: 'cursor' }, `${stream.slice(0, stream.indexOf('id: 13'))}id: 1`],
  [{ after: 0, at: 'event' }, 'id: 12\nevent: x\ndata: "é漢"\n'],
  [{ after: 0, at: 'character' }, Buffer.from('id: 12\nevent: x\ndata: "é').length - 1],
  [{ after: 25, at: 'character' }, Buffer.from('id: 12\nevent: x\ndata: "é漢').length - 2],
])('cuts at %j', async (cut, expected) => {
  const whole = Buffer.from(stream);
  const length = typeof expected === 'number' ? expected : Buffer.from(expected).length;
  for (const chunkSize of [1, 5, whole.length]) {
    expect(await pass(cut, chunkSize)).toEqual(whole.subarray(0, length));
  }
});
