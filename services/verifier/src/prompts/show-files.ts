import { toStorableText } from '@loom/shared/text';
import type { SeenFile } from '../checks/look-at.ts';

const maxFiles = 20;
const maxCharacters = 60_000;

/** Files as a verifier reads them, each with a fair share of the room; what is left out is said. */
export function showFiles(files: readonly SeenFile[]): string[] {
  const shown = files.slice(0, maxFiles);
  let room = maxCharacters;
  const blocks = shown.map((file, index) => {
    const text = toText(file);
    const share = Math.floor(room / (shown.length - index));
    room -= Math.min(text.length, share);
    return block(file.path, text, share);
  });
  const left = files.slice(maxFiles).map(({ path }) => path);
  return left.length === 0 ? blocks : [...blocks, `FILES NOT SHOWN: ${left.join(', ')}`];
}

function block(path: string, text: string, share: number): string {
  const cut = text.length > share;
  const note = cut ? `\n[cut: ${share} of ${text.length} characters are shown]` : '';
  return `FILE: ${path}\n${guardMarkers(toStorableText(text.slice(0, share)))}${note}\nEND FILE`;
}

function toText({ content, bytes, sha256 }: SeenFile): string {
  // A NUL byte near the beginning: not text, as git decides it.
  const isText = content !== null && !content.subarray(0, 8_192).includes(0);
  if (!isText) return `[not shown: ${bytes} bytes, sha256 ${sha256}]`;
  return content.toString().trimEnd();
}

/** Text whose lines cannot be taken for the marks that part the prompt. */
export function guardMarkers(text: string): string {
  return text.replaceAll(
    /^(?=END (REQUIREMENT|FILE|OUTPUT)\b|(REQUIREMENT|FILE|OUTPUT|FILES NOT SHOWN|CHECKS|RECORD OF CALLS):)/gm,
    '| ',
  );
}
