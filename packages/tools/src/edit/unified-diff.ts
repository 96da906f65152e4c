import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { toLineFeeds } from './line-endings.ts';

const diffTimeoutMs = 1_000;

/** The change as a unified diff, or a sentence when it is too large to compute in time. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(
    `a/${path}`,
    `b/${path}`,
    toLineFeeds(before),
    toLineFeeds(after),
    undefined,
    undefined,
    { context: 3, timeout: diffTimeoutMs, headerOptions: FILE_HEADERS_ONLY },
  );
  return patch ?? `[the change of ${path} is too large to be shown as a diff]`;
}
