import { formatPatch, type StructuredPatch, structuredPatch } from 'diff';

/** A version of a file; content that nobody has any more is null. */
export interface FileInPatch {
  mode: number;
  content: Buffer | null;
}

const contextLines = 3;
const sniffBytes = 8_192;
/** Above this a file is not compared. */
const maxFileBytes = 1024 * 1024;
/** Lines that differ; texts that differ more are shown as one replaced by the other. */
const maxEditLength = 1_000;

/** A line about a file that git passes over. */
export function patchNote(path: string, words: string): string {
  // A name with a line feed in it must not look like a patch.
  return `# ${path.replaceAll(/\p{Cc}/gu, '?')} ${words}\n`;
}

/**
 * The change of one file as `git apply` takes it; null stands for no file. What cannot be shown as
 * lines is a note.
 */
export function gitPatch(
  path: string,
  before: FileInPatch | null,
  after: FileInPatch | null,
): string {
  const old = before === null ? '' : textOf(before);
  const now = after === null ? '' : textOf(after);
  for (const side of [old, now]) {
    if (typeof side !== 'string') return patchNote(path, side.unshown);
  }
  const modes = { oldMode: modeOf(before), newMode: modeOf(after) };
  const patch: StructuredPatch = {
    ...compare(old as string, now as string),
    oldFileName: before === null ? '/dev/null' : `a/${path}`,
    newFileName: after === null ? '/dev/null' : `b/${path}`,
    isGit: true,
    isCreate: before === null,
    isDelete: after === null,
    ...(modes.oldMode === modes.newMode ? {} : modes),
  };
  return formatPatch(patch);
}

function compare(old: string, now: string): StructuredPatch {
  const options = { context: contextLines, maxEditLength };
  // From nothing or to nothing there is nothing to be compared, and comparing would take its time.
  const patch =
    old === '' || now === '' ? undefined : structuredPatch('', '', old, now, '', '', options);
  return patch ?? replaceWhole(old, now);
}

function replaceWhole(old: string, now: string): StructuredPatch {
  const [removed, added] = [linesOf(old), linesOf(now)];
  const hunk = {
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...marked('-', removed, old), ...marked('+', added, now)],
  };
  const names = { oldFileName: '', newFileName: '', oldHeader: '', newHeader: '' };
  return { ...names, hunks: hunk.lines.length === 0 ? [] : [hunk] };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function marked(sign: string, lines: readonly string[], text: string): string[] {
  const isCut = lines.length > 0 && !text.endsWith('\n');
  return [
    ...lines.map((line) => `${sign}${line}`),
    ...(isCut ? ['\\ No newline at end of file'] : []),
  ];
}

function textOf({ content }: FileInPatch): string | { unshown: string } {
  if (content === null) return { unshown: 'has content that is not kept any more' };
  if (content.subarray(0, sniffBytes).includes(0)) return { unshown: 'is a binary file' };
  if (content.length > maxFileBytes) return { unshown: 'is too large to be shown as a diff' };
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(content);
  } catch {
    return { unshown: 'is not UTF-8 text' };
  }
}

/** Git knows two kinds of file: those that can be run, and the others. */
function modeOf(file: FileInPatch | null): string {
  return file !== null && (file.mode & 0o100) !== 0 ? '100755' : '100644';
}
