import { expect, test } from 'vitest';
import { artifactHeaders } from './artifact-headers.ts';

const headers = (mime: string, name = 'a.txt') =>
  artifactHeaders({
    ref: 'af_1',
    kind: 'unknown',
    source: 'web_fetch',
    mime,
    name,
    content: Buffer.from('abc'),
  });

test.each([
  ['text/plain', 'text/plain; charset=utf-8'],
  ['Text/CSV; charset=latin1', 'text/csv; charset=utf-8'],
  ['image/png', 'image/png'],
  ['application/pdf', 'application/pdf'],
  ['text/html', 'application/octet-stream'],
  ['image/svg+xml', 'application/octet-stream'],
  ['application/xhtml+xml', 'application/octet-stream'],
  ['text/javascript', 'application/octet-stream'],
  ['text/plain\r\nx: y', 'application/octet-stream'],
  ['', 'application/octet-stream'],
])('%j is served as %s, to be saved and never run', (mime, type) => {
  expect(headers(mime)).toMatchObject({
    'content-type': type,
    'content-length': '3',
    'content-disposition': expect.stringMatching(/^attachment; /),
    'content-security-policy': expect.stringMatching(/^sandbox;/),
    'x-content-type-options': 'nosniff',
  });
});

test.each([
  ['report.pdf', `attachment; filename="report.pdf"; filename*=UTF-8''report.pdf`],
  [
    'a"; x="b\r\n.txt',
    `attachment; filename="a__ x__b__.txt"; filename*=UTF-8''a%22%3B%20x%3D%22b%0D%0A.txt`,
  ],
  ["ü'(1).txt", `attachment; filename="___1_.txt"; filename*=UTF-8''%C3%BC%27%281%29.txt`],
  ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ['', `attachment; filename="artifact"; filename*=UTF-8''`],
])('the name %j cannot leave its header', (name, disposition) => {
  expect(headers('text/plain', name)['content-disposition']).toBe(disposition);
});
