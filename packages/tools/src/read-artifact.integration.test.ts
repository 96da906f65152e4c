import { gzipSync } from 'node:zlib';
import type { ArtifactKind } from '@loom/shared/tool';
import { expect, test } from 'vitest';
import { zipOf } from './documents/test-archive.ts';
import { pdfOf } from './documents/test-pdf.ts';
import { readArtifactTool } from './read-artifact.ts';
import { contextIn } from './test-workspace.ts';

async function read(kind: ArtifactKind, mime: string, content: string | Buffer, query?: string) {
  const context = contextIn(null);
  const artifact_ref = await context.keep.artifact({
    ...{
      name: 'thing',
      kind,
      mime,
      source: 'https://example.com/a/',
      content: Buffer.from(content),
    },
  });
  const input = query === undefined ? { artifact_ref } : { artifact_ref, query };
  return (await readArtifactTool.run(input, context)).text;
}

const book = Array.from({ length: 1_000 }, (_, n) => `# Chapter ${n}\n\nAbout ${n}.`).join('\n\n');

test('text is shown after a line on what it is', async () => {
  expect(await read('text', 'text/plain', 'hello')).toBe(
    '[af_1: thing, text (text/plain), 5 bytes, from https://example.com/a/]\n\nhello',
  );
  expect(await read('text', 'text/plain', '')).toMatch(/\(no text\)$/);
});

test('long text is shown by its beginning, by a query or by a place', async () => {
  const long = book.repeat(2);
  const beginning = await read('text', 'text/plain', long);
  expect(beginning.length).toBeLessThan(25_000);
  expect(beginning).toMatch(/\[… characters 0-\d+ of \d+; give a query/);
  expect(await read('text', 'text/plain', book, 'chapter 777')).toMatch(
    /\[characters \d+-\d+ of \d+, under "Chapter 77\d"\][^[]*About 777\./,
  );
  expect(await read('text', 'text/plain', book, '20000-20050')).toContain(
    `[characters 20000-20050 of ${book.length}]\n${book.slice(20_000, 20_050)}`,
  );
  expect(await read('text', 'text/plain', book, '900000-900001')).toContain('give a place within');
});

test('a page, a PDF and archives are shown as what they say or hold', async () => {
  const page = '<p>A <b>bold</b> <a href="b">link</a></p>';
  expect(await read('html', 'text/html', page)).toContain(
    'A **bold** [link](https://example.com/a/b)',
  );
  expect(await read('pdf', 'application/pdf', pdfOf(['In a PDF']))).toContain('In a PDF');
  const zip = zipOf({ 'a/b.txt': 'hello', 'c.txt': 'x' });
  expect(await read('archive', 'application/zip', zip)).toContain(
    `archive (application/zip) of ${zip.length} bytes]\n- a/b.txt (5 bytes)\n- c.txt (1 bytes)`,
  );
  expect(await read('archive', 'application/gzip', gzipSync(tarOf('t.txt', 'hello')))).toContain(
    '- t.txt (5 bytes)',
  );
  expect(await read('archive', 'application/zip', zip.subarray(0, 30))).toContain('cannot be read');
});

test('of an archive with very many entries the first are listed, and of a bomb none is unpacked', async () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, '']));
  const shown = await read('archive', 'application/zip', zipOf(many));
  expect(shown).toMatch(/- f199 \(0 bytes\)\n- …$/);
  const bomb = Buffer.concat(Array<Buffer>(100).fill(gzipSync(Buffer.alloc(10_000_000))));
  expect(await read('archive', 'application/gzip', bomb)).toContain('First bytes: 1f 8b');
});

test('of unknown bytes the first are shown', async () => {
  const shown = await read('unknown', 'application/octet-stream', Buffer.from([0, 255, 7]));
  expect(shown).toContain('First bytes: 00 ff 07');
});

test('an unknown reference is answered in one sentence', async () => {
  const result = await readArtifactTool.run({ artifact_ref: 'af_none' }, contextIn(null));
  expect(result).toMatchObject({ failure: 'failed' });
  expect(result.text).toMatch(/^There is no artifact af_none: [^.]*\.$/);
});

function tarOf(name: string, text: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(text.length.toString(8).padStart(11, '0'), 124);
  header.write('0', 156);
  header.write('ustar', 257);
  const body = Buffer.alloc(512);
  body.write(text);
  return Buffer.concat([header, body, Buffer.alloc(1_024)]);
}
