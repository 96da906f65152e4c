import { once } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { AppError } from '@loom/shared/app-error';
import { documentLimits } from './document-limits.ts';
import { TextCollector } from './text-collector.ts';

const require = createRequire(import.meta.url);

// A PDF is a program in disguise: read in a thread of its own, it can be stopped at any time and
// holds nobody up. The library is loaded there too, so a process that meets no PDF never loads it.
const workerSource = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { library, content, max_pages, max_chars } = workerData;
  async function readPages() {
    const { getDocumentProxy } = await import(library);
    const pdf = await getDocumentProxy(content, { verbosity: 0 });
    const pages = [];
    let chars = 0;
    for (let number = 1; number <= Math.min(pdf.numPages, max_pages) && chars <= max_chars; number++) {
      const { items } = await (await pdf.getPage(number)).getTextContent();
      const text = items.map((item) => (item.str ?? '') + (item.hasEOL ? '\\n' : '')).join('');
      pages.push(text);
      chars += text.length;
    }
    return { pages, total: pdf.numPages };
  }
  readPages().then(
    (read) => parentPort.postMessage(read),
    (error) => parentPort.postMessage({ problem: String(error?.message ?? error) }),
  );
`;

type Read = { pages: string[]; total: number } | { problem: string };

async function readInWorker(content: Buffer, signal: AbortSignal): Promise<Read> {
  const { max_pages, max_chars, max_ms, max_memory_mb } = documentLimits;
  const library = pathToFileURL(require.resolve('unpdf')).href;
  const worker = new Worker(workerSource, {
    eval: true,
    workerData: { library, content, max_pages, max_chars },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: max_memory_mb },
  });
  const timeout = AbortSignal.timeout(max_ms);
  try {
    const [read] = await once(worker, 'message', { signal: AbortSignal.any([signal, timeout]) });
    return read;
  } catch (error) {
    signal.throwIfAborted();
    if (!timeout.aborted) throw error;
    throw new AppError('tool_failed', 'the PDF takes too long to read; use a smaller one');
  } finally {
    await worker.terminate();
  }
}

/** The text of a PDF, page by page. */
export async function pdfText(content: Buffer, signal: AbortSignal): Promise<string> {
  const read = await readInWorker(content, signal);
  if ('problem' in read) throw new Error(read.problem);
  const { pages, total } = read;
  if (pages.every((page) => page.trim() === '')) {
    return `[${total} ${total === 1 ? 'page' : 'pages'} without text; it may be scanned images]`;
  }
  const text = new TextCollector();
  for (const [index, page] of pages.entries()) {
    text.add(`--- Page ${index + 1} ---`);
    text.add(page.trim());
  }
  if (pages.length < total) text.add(`[pages ${pages.length + 1} to ${total} are left out]`);
  return text.text();
}
