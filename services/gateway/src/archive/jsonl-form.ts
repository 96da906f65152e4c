import type { ExportForm } from './export-form.ts';

/** One JSON object a line: the session as `{session}`, then the messages of the contract in order. */
export const jsonlForm: ExportForm = {
  content_type: 'application/x-ndjson; charset=utf-8',
  extension: 'jsonl',
  head: (session) => toLine({ session }),
  message: (message) => toLine(message),
};

// Many readers of lines take these for the end of one, too.
const otherLineEnds = /[\u0085\u2028\u2029]/g;

function toLine(value: unknown): string {
  const json = JSON.stringify(value).replaceAll(
    otherLineEnds,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${json}\n`;
}
