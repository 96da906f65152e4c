import { setImmediate } from 'node:timers/promises';
import { AppError } from '@loom/shared/app-error';
import { documentLimits } from './document-limits.ts';
import { type XmlToken, xmlTokens } from './xml-tokens.ts';

const tokensBetweenBreaths = 20_000;

/** Ends the reading of a document that takes too long or that nobody waits for any more. */
export interface ReadingTime {
  deadline: number;
  signal: AbortSignal;
}

/** The time that reading one document may take from now on. */
export function readingTime(signal: AbortSignal): ReadingTime {
  return { deadline: performance.now() + documentLimits.max_ms, signal };
}

/** Hands each token to `visit` until it answers `false`; other work gets its turn in between. */
export async function readXml(
  xml: string,
  time: ReadingTime,
  visit: (token: XmlToken) => false | undefined,
): Promise<void> {
  let count = 0;
  for (const token of xmlTokens(xml)) {
    if (visit(token) === false) return;
    count += 1;
    if (count % tokensBetweenBreaths !== 0) continue;
    await setImmediate();
    time.signal.throwIfAborted();
    if (performance.now() > time.deadline) {
      throw new AppError('tool_failed', 'the document takes too long to read; use a smaller one');
    }
  }
}
