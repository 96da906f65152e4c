import { Worker } from 'node:worker_threads';
import { cutText } from '@loom/shared/text';
import { htmlWorker, type ReadablePage } from './html-worker.ts';
import { plainHtmlText } from './plain-html-text.ts';

/** Characters of a page that are read. */
const maxHtmlChars = 2_000_000;
const timeLimitMs = 20_000;
/** Threads at once; pages wait for each other rather than take all of the memory. */
const maxThreads = 2;

const waiting: (() => void)[] = [];
let running = 0;

/**
 * A page as markdown: its main part, else the whole of it, else its words alone. Parsing happens in
 * a thread of its own with limits on time and memory, so that no page stops everything else.
 */
export async function htmlToMarkdown(
  html: string,
  {
    url,
    signal,
    time_limit_ms = timeLimitMs,
  }: { url: string; signal: AbortSignal; time_limit_ms?: number },
): Promise<ReadablePage> {
  const read = cutText(html, maxHtmlChars);
  await takePlace();
  try {
    const page = await readInThread({ html: read, url }, signal, time_limit_ms);
    return page ?? { title: '', markdown: plainHtmlText(read) };
  } finally {
    givePlace();
  }
}

async function takePlace(): Promise<void> {
  if (running < maxThreads) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

// Whoever waits longest gets the place itself, so that nobody takes it in between.
function givePlace(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
}

// Null when the page is too much for the thread, in whatever way.
async function readInThread(
  page: { html: string; url: string },
  signal: AbortSignal,
  timeLimitMs: number,
): Promise<ReadablePage | null> {
  signal.throwIfAborted();
  const base = JSON.stringify(import.meta.url);
  const source = `(${htmlWorker})(require('node:module').createRequire(${base}))`;
  const worker = new Worker(source, {
    eval: true,
    workerData: page,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const onAbort = () => void worker.terminate();
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(onAbort, timeLimitMs);
  try {
    return await new Promise<ReadablePage | null>((resolve) => {
      worker.on('message', resolve);
      worker.on('error', () => resolve(null));
      worker.on('exit', () => resolve(null));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    await worker.terminate();
    signal.throwIfAborted();
  }
}
