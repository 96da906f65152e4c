import { plainText } from './plain-text.ts';

/** Arguments of a call on one line, bounded. */
export function showArguments(args: unknown, max = 100): string {
  const text = typeof args === 'string' ? args : (JSON.stringify(args) ?? '');
  return plainText(text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`);
}
