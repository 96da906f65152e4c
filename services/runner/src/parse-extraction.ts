import { extractJson } from '@loom/shared/extract-json';
import {
  extractedEntrySchema,
  extractionSchema,
  memoryLimits,
  type NewMemory,
} from '@loom/shared/memory';
import { cutText, toStorableText } from '@loom/shared/text';

/** Reads an extractor's answer: bounded, without what is no entry; null when there is no list at all. */
export function parseExtraction(text: string, maxEntries: number): NewMemory[] | null {
  const raw = extractJson(text, (value) => extractionSchema.safeParse(value).data ?? null);
  const listed = raw?.entries ?? bareList(text);
  if (listed === null) return null;
  const entries = listed.flatMap(toEntry);
  const unique = new Map(entries.map((entry) => [`${entry.type} ${entry.summary}`, entry]));
  return [...unique.values()].slice(0, maxEntries);
}

/** The list itself, from a model that leaves out the object around it. */
function bareList(text: string): unknown[] | null {
  const list = /^[^{[]*(\[.*\])[^\]]*$/s.exec(text)?.[1];
  try {
    const value: unknown = JSON.parse(list ?? 'null');
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function toEntry(value: unknown): NewMemory[] {
  const parsed = extractedEntrySchema.safeParse(value);
  if (!parsed.success) return [];
  const { type, summary, detail, tags } = parsed.data;
  return [
    {
      type,
      summary: cutAtWord(oneLine(summary), memoryLimits.summary),
      detail: cutText(toStorableText(detail.trim()), memoryLimits.detail),
      tags: toTags(tags),
    },
  ];
}

function toTags(tags: readonly string[]): string[] {
  const tidy = tags.map((tag) => cutText(oneLine(tag), memoryLimits.tag));
  return [...new Set(tidy)].filter((tag) => tag !== '').slice(0, memoryLimits.tags);
}

function oneLine(text: string): string {
  return toStorableText(text).replaceAll(/\s+/g, ' ').trim();
}

/** A text's beginning, up to the last word that fits, with a mark that something is missing. */
function cutAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = cutText(text, max - 1);
  const end = text[cut.length] === ' ' ? cut.length : cut.lastIndexOf(' ');
  // A single long word is cut anyway.
  return `${cut.slice(0, end > max / 2 ? end : undefined).trimEnd()}…`;
}
