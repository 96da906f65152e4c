import { z } from 'zod';

/** Text that Postgres can keep byte for byte: no NUL, no lone surrogate. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Makes text from models, tools and files storable; what cannot be kept becomes U+FFFD. */
export function toStorableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed();
}

/** The same for any JSON value, keys included. */
export function toStorableJson<T>(value: T): T {
  if (typeof value === 'string') return toStorableText(value) as T;
  if (Array.isArray(value)) return value.map(toStorableJson) as T;
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [toStorableText(key), toStorableJson(inner)]),
    ) as T;
  }
  return value;
}

/** A zod string that refuses what the database could not give back unchanged. */
export function storableString(limits: { min?: number; max: number }) {
  return z
    .string()
    .min(limits.min ?? 0)
    .max(limits.max)
    .refine(isStorableText, 'must not contain NUL characters or unpaired surrogates');
}

/** A text's beginning of at most `max` characters; a pair of surrogates is never cut in half. */
export function cutText(text: string, max: number): string {
  const cut = text.slice(0, max);
  return cut.length < text.length && /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** First line, cut to a length, for titles and one-line displays. */
export function firstLine(text: string, max: number): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length <= max ? line : `${cutText(line, max - 1)}…`;
}

/** A cheap estimate of a text's tokens, for budgets; what a provider reports is the bill. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** A value as an event may show it: itself while it is short, else the beginning of its JSON. */
export function boundedJson(value: unknown, maxChars: number): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= maxChars ? value : `${text.slice(0, maxChars).toWellFormed()}…`;
}
