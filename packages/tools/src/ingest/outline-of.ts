import { firstLine } from '@loom/shared/text';

interface Heading {
  level: number;
  title: string;
  /** Where it stands in the text, in characters. */
  at: number;
}

/** The headings of a markdown text, without those inside of code. */
export function headingsOf(text: string): Heading[] {
  const headings: Heading[] = [];
  let fence: string | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || fence === mark))
      fence = fence === null ? mark : null;
    const found = fence === null ? /^(#{1,6})\s+(\S.*)$/.exec(line) : null;
    if (found)
      headings.push({ level: (found[1] ?? '').length, title: firstLine(found[2] ?? '', 100), at });
    at += line.length + 1;
  }
  return headings;
}

/** A text's headings as lines, each with its place, within a number of characters. */
export function outlineOf(text: string, maxChars: number): string {
  const lines: string[] = [];
  let room = maxChars;
  for (const { level, title, at } of headingsOf(text)) {
    const line = `${'  '.repeat(level - 1)}- ${title} (at ${at})`;
    room -= line.length + 1;
    if (room < 0) return [...lines, '- …'].join('\n');
    lines.push(line);
  }
  return lines.join('\n');
}
