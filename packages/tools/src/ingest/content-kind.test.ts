import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { zipOf } from '../documents/test-archive.ts';
import { pdfOf } from '../documents/test-pdf.ts';
import { contentKind } from './content-kind.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const contents = {
  '[Content_Types].xml': `<Types><Override ContentType="${word}.main+xml"/></Types>`,
  'word/document.xml': '<w:document/>',
};

test.each([
  ['bytes against everything', png, 'text/html', 'page.html', 'image', 'image/png'],
  ['bytes of a PDF', pdfOf(['x']), 'application/octet-stream', 'x', 'pdf', 'application/pdf'],
  ['bytes of gzip', gzipSync('x'), '', 'x', 'archive', 'application/gzip'],
  ['a Word file', zipOf(contents), 'application/zip', 'x', 'office', word],
  ['a plain archive', zipOf({ a: 'b' }), '', 'a', 'archive', 'application/zip'],
  ['an archive with an office name', zipOf({ a: 'b' }), '', 'a.docx', 'office', word],
  ['a given type', Buffer.from('a,b'), 'text/csv; charset=utf-8', 'x', 'text', 'text/csv'],
  ['a name', Buffer.from('{}'), 'application/octet-stream', 'x.json', 'text', 'application/json'],
  [
    'a page by its beginning',
    Buffer.from('\n<!DOCTYPE html><p>'),
    'text/plain',
    'x',
    'html',
    'text/html',
  ],
  ['a page by its type', Buffer.from('<p>x'), 'text/html', 'x', 'html', 'text/html'],
  ['a drawing', Buffer.from('<svg xmlns="x"/>'), 'image/svg+xml', 'x.svg', 'text', 'image/svg+xml'],
  [
    'a feed',
    Buffer.from('<?xml version="1.0"?><rss/>'),
    'application/rss+xml',
    'x',
    'text',
    'application/rss+xml',
  ],
  ['a claim that is not so', Buffer.from('no image'), 'image/png', 'x', 'text', 'text/plain'],
  ['text by its look', Buffer.from('hello'), '', 'x', 'text', 'text/plain'],
  [
    'bytes said to be text',
    Buffer.from([1, 0, 2]),
    'text/plain',
    'x',
    'unknown',
    'application/octet-stream',
  ],
  [
    'bytes of some type',
    Buffer.from([1, 0, 2]),
    'application/x-thing',
    'x',
    'unknown',
    'application/x-thing',
  ],
  ['wide text', Buffer.from('\ufeffwide', 'utf16le'), 'text/plain', 'x', 'text', 'text/plain'],
])('%s tells', async (_what, content, mime, name, kind, found) => {
  expect(await contentKind({ content, mime, name })).toEqual({ kind, mime: found });
});
