import { expect, test } from 'vitest';
import { plainHtmlText } from './plain-html-text.ts';

test.each([
  ['<p>a</p><p>b</p>', 'a\nb'],
  ['a<!-- no -->b<b>c</b>', 'abc'],
  ['a<script>if (x < y) {}</script>b<STYLE>x</style >c', 'abc'],
  ['a<script>never closed', 'a'],
  ['a<!-- never closed', 'a'],
  ['1 &lt; 2 &amp; 3&#62;2 &#x41; &unknown; &#0;', '1 < 2 & 3>2 A &unknown; &#0;'],
  ['a < b', 'a < b'],
])('the words of %j', (html, text) => {
  expect(plainHtmlText(html)).toBe(text);
});

test('the words of megabytes of broken tags are found in one pass', () => {
  for (const part of ['<a', '<script>', '<!--', '<a href="', '&#', '</']) {
    expect(plainHtmlText(part.repeat(400_000)).length).toBeLessThan(5_000_000);
  }
});
