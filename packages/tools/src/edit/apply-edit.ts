import { AppError } from '@loom/shared/app-error';
import { findSimilarLines } from './find-similar-lines.ts';
import { offsetInOriginal, toLineFeeds, usesCrlf } from './line-endings.ts';

export interface Edit {
  old_str: string;
  new_str: string;
}

interface Place {
  start: number;
  end: number;
  replacement: string;
}

/** A longer text is not searched for fuzzily: the comparison would hold up everything else. */
const maxFuzzyChars = 20_000;

function countOccurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count++;
  return count;
}

function refuse(label: string, reason: string): never {
  throw new AppError('tool_failed', `${label} was not applied, and nothing was written: ${reason}`);
}

/** Fuzzy matches replace whole lines, so a final line feed of both texts is left to the file. */
function placeOfSimilarLines(text: string, edit: Edit, label: string): Place {
  if (edit.old_str.length > maxFuzzyChars) {
    refuse(label, 'old_str does not occur in the file. Read the file and use a shorter old_str.');
  }
  const endsLine = edit.old_str.endsWith('\n');
  const wanted = (endsLine ? edit.old_str.slice(0, -1) : edit.old_str).split('\n');
  const lines = text.split('\n');
  const similar = findSimilarLines(lines, wanted);
  if (!similar.found) {
    const near = similar.best
      ? ` The most similar place begins at line ${similar.best.line + 1}.`
      : '';
    if (similar.ambiguous) {
      refuse(
        label,
        `old_str does not occur, and several places are nearly like it.${near} Read the file and copy old_str exactly, with more lines around it.`,
      );
    }
    refuse(
      label,
      `old_str does not occur in the file.${near} Read the file and copy old_str exactly.`,
    );
  }
  const before = lines.slice(0, similar.line).reduce((sum, line) => sum + line.length + 1, 0);
  const block = lines.slice(similar.line, similar.line + wanted.length).join('\n');
  const keepsEnd = endsLine && edit.new_str.endsWith('\n');
  const takesEnd = endsLine && !keepsEnd && before + block.length < text.length;
  return {
    start: before,
    end: before + block.length + (takesEnd ? 1 : 0),
    replacement: keepsEnd ? edit.new_str.slice(0, -1) : edit.new_str,
  };
}

function findPlace(text: string, edit: Edit, label: string): Place {
  const occurrences = countOccurrences(text, edit.old_str);
  if (occurrences > 1) {
    refuse(
      label,
      `old_str occurs ${occurrences} times in the file. Add lines around it until it occurs once.`,
    );
  }
  if (occurrences === 0) return placeOfSimilarLines(text, edit, label);
  const start = text.indexOf(edit.old_str);
  return { start, end: start + edit.old_str.length, replacement: edit.new_str };
}

/** The text after one edit; every line outside the edited place keeps its own line ending. */
export function applyEdit(text: string, edit: Edit, label: string): string {
  const plain = toLineFeeds(text);
  const plainEdit = { old_str: toLineFeeds(edit.old_str), new_str: toLineFeeds(edit.new_str) };
  const place = findPlace(plain, plainEdit, label);
  const start = offsetInOriginal(text, place.start);
  const end = offsetInOriginal(text, place.end);
  const replacement = usesCrlf(text)
    ? place.replacement.replaceAll('\n', '\r\n')
    : place.replacement;
  return text.slice(0, start) + replacement + text.slice(end);
}
