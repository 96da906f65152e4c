import { STATUS_CODES } from 'node:http';
import { posix } from 'node:path';
import { AppError } from '@loom/shared/app-error';
import type { ArtifactKind, ToolContext, ToolDefinition, ToolOutput } from '@loom/shared/tool';
import { z } from 'zod';
import { contentKind } from './ingest/content-kind.ts';
import { contentText } from './ingest/content-text.ts';
import { isShownWhole, showText } from './ingest/show-text.ts';
import { checkUrl } from './net/check-url.ts';
import { type FetchedPage, type FetchPageOptions, fetchPage } from './net/fetch-page.ts';

const input = z.strictObject({
  url: z.string().min(1).max(8_000).describe('The address of the page, with https://'),
  query: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Words to look for: only the parts of the page that match are shown'),
});

/** A page up to this length is shown whole. */
const maxShownChars = 16_000;
/** Beyond the time for the network: for reading what came. */
const readingMs = 60_000;

/** Reads one page or file from the public internet. */
export function webFetchTool(options: FetchPageOptions): ToolDefinition<z.infer<typeof input>> {
  return {
    name: 'web_fetch',
    description:
      'Gets a page from the internet and shows it as markdown; also PDF, Office documents and plain text. ' +
      'A long page is kept as an artifact and its beginning and outline are shown; with a query, the parts that match it. ' +
      'Images and other files are kept as artifacts.',
    effect: 'read',
    timeout_ms: options.timeout_ms + readingMs,
    input,
    unavailable: () => null,
    run: async ({ url, query }, context) => {
      const address = parseAddress(url, options.allow_private);
      const page = await fetchPage(address, { ...options, signal: context.signal });
      if (page.outcome === 'failed') return failed(address, page.reason);
      if (page.status < 200 || page.status > 299)
        return failed(page.url, describeStatus(page.status));
      return { text: await showPage(address, page, query, context) };
    },
  };
}

function parseAddress(text: string, allowPrivate: boolean): URL {
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : null;
  const refusal =
    url === null ? 'must be a URL that begins with https://' : checkUrl(url, allowPrivate);
  if (url === null || refusal !== null) throw new AppError('invalid_request', `url ${refusal}.`);
  return url;
}

type Page = Extract<FetchedPage, { outcome: 'fetched' }>;

interface Found {
  name: string;
  kind: ArtifactKind;
  mime: string;
}

async function showPage(
  asked: URL,
  page: Page,
  query: string | undefined,
  context: ToolContext,
): Promise<string> {
  const fileName = nameOf(page.url);
  const found = await contentKind({ content: page.body, mime: page.mime, name: fileName });
  const what = { ...found, name: fileName };
  // The charset is only in what the server said.
  const mime =
    found.kind === 'text' || found.kind === 'html' ? page.mime || found.mime : found.mime;
  const source = { content: page.body, ...what, mime, url: page.url.href };
  const { title, text } = await contentText(source, context.signal);
  const isPage = found.kind === 'text' || found.kind === 'html';
  const original = isPage ? null : await keep(context, { ...what, content: page.body }, page.url);
  const options = { query, max_chars: maxShownChars };
  const ref = isShownWhole(text, options) ? null : await keepText(context, text, what, page.url);
  const shown = showText(text, { ...options, more: moreWords(ref) });
  return [...headLines(asked, page, title, what, original), '', shown].join('\n');
}

function headLines(
  asked: URL,
  page: Page,
  title: string,
  { kind, mime }: Found,
  original: string | null,
): string[] {
  const isMoved = page.url.href !== asked.href;
  return [
    ...(title === '' ? [] : [`Title: ${title}`]),
    `URL: ${asked.href}`,
    ...(isMoved ? [`Answered by: ${page.url.href}`] : []),
    ...(kind === 'html' ? [] : [`Type: ${mime || 'unknown'}, ${page.body.length} bytes`]),
    ...(original === null ? [] : [`Kept as artifact ${original}.`]),
    ...(page.complete ? [] : ['The answer was cut off: it is too long, too slow or broken.']),
  ];
}

function moreWords(ref: string | null): string {
  if (ref === null) return 'give a query to see other parts';
  return `the whole text is artifact ${ref}: read_artifact shows other parts by a query, or by place such as "16000-32000"`;
}

function keepText(
  context: ToolContext,
  text: string,
  { name }: Found,
  url: URL,
): Promise<string | null> {
  const content = Buffer.from(text, 'utf8');
  const kept = { name: `${name}.md`, kind: 'text', mime: 'text/markdown', content } as const;
  return keep(context, kept, url);
}

// What was found is shown even if it cannot be kept.
function keep(
  context: ToolContext,
  what: Found & { content: Buffer },
  url: URL,
): Promise<string | null> {
  const { name, kind, mime, content } = what;
  return context.keep.artifact({ name, kind, mime, content, source: url.href }).catch(() => null);
}

function nameOf(url: URL): string {
  const last = posix
    .basename(url.pathname)
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(-100);
  return last === '' ? url.hostname : last;
}

function failed(url: URL, reason: string): ToolOutput {
  return { text: `${url.href} could not be read: ${reason}.`, failure: 'failed' };
}

function describeStatus(status: number): string {
  const said = `it answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  if (status === 404 || status === 410)
    return `${said}, so check the address or look for another page`;
  if (status === 401 || status === 403)
    return `${said}, so it wants a login or no visitors like this; use another source`;
  if (status === 429 || status >= 500)
    return `${said}, which may pass; try again later or use another source`;
  return `${said}, so use another address`;
}
