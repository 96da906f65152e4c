import { expect, test } from 'vitest';
import { htmlToMarkdown } from './html-to-markdown.ts';

const signal = new AbortController().signal;
const url = 'https://example.com/docs/page';
const read = (html: string, time_limit_ms = 60_000) =>
  htmlToMarkdown(html, { url, signal, time_limit_ms });

const sentence = 'A sentence that is long enough to be taken for part of an article. '.repeat(4);

test('the main part of a page becomes markdown', async () => {
  const { title, markdown } = await read(`<!doctype html><html><head><title>The Page</title></head>
    <body><nav><a href="/">Home</a><a href="/x">Elsewhere</a></nav>
    <article><h1>The Page</h1><p>${sentence}</p><h2>Part two</h2>
    <p>${sentence}<a href="../other">other</a></p><script>alert("run")</script>
    <pre><code class="language-js">const a = 1;</code></pre>
    <table><thead><tr><th>Name</th><th>Age</th></tr></thead><tbody><tr><td>Ada</td><td>36</td></tr></tbody></table>
    </article><footer>Imprint</footer></body></html>`);
  expect(title).toBe('The Page');
  expect(markdown).toContain('## Part two');
  expect(markdown).toContain('[other](https://example.com/other)');
  expect(markdown).toMatch(/```js\nconst a = 1;\n```/);
  expect(markdown).toContain('| Name | Age |\n| --- | --- |\n| Ada | 36 |');
  expect(markdown).not.toMatch(/alert|Imprint|Elsewhere/);
});

test('a page without a main part is shown whole', async () => {
  const { title, markdown } = await read(
    '<title>Short</title><p>One <b>bold</b> line.</p><a href="x">more</a>',
  );
  expect({ title, markdown }).toEqual({
    title: 'Short',
    markdown: 'One **bold** line.\n\n[more](https://example.com/docs/x)',
  });
});

test('what is too much for the parser is read without it', async () => {
  const deep = `${'<div>'.repeat(2_000)}down <i>here</i>${'</div>'.repeat(2_000)}`;
  expect((await read(deep)).markdown).toBe('down here');
  expect((await read(`<p>quick</p>${deep}`, 1)).markdown).toBe('quick\ndown here');
});

test('a page that is no longer wanted is not waited for', async () => {
  const stop = new AbortController();
  const reading = htmlToMarkdown('<p>x</p>', { url, signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});

test('many pages are read, a few at a time', async () => {
  const pages = await Promise.all([1, 2, 3, 4, 5].map((n) => read(`<p>page ${n}</p>`)));
  expect(pages.map(({ markdown }) => markdown)).toEqual([1, 2, 3, 4, 5].map((n) => `page ${n}`));
});
