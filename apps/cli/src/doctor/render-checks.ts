import { plainText } from '../plain-text.ts';
import type { Check } from './check.ts';

/** One line a check, and below it what to do where something is to be done. */
export function renderChecks(checks: Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, status, detail, fix }) => {
      const line = `${status.padEnd(4)}  ${name.padEnd(width)}  ${plainText(detail).replaceAll('\n', ' ')}`;
      return fix === undefined ? [line] : [line, `${' '.repeat(width + 8)}${fix}`];
    })
    .join('\n');
}
