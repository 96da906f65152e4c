import { firstLine } from '@loom/shared/text';
import { hasHole } from './expand-words.ts';

/** The program that a command's first word names; null when only the running shell knows it. */
export function programName(word: string): string | null {
  if (word === '[' || word === '[[') return word;
  const name = word.slice(word.lastIndexOf('/') + 1);
  // A pattern, a variable or a found file may become any name.
  return hasHole(word) || /[*?[\]$]|\{\}/.test(name) ? null : withoutPrefix(name);
}

const gnuTools = new Set(
  'chmod cp env find install ln mkdir mv nice nohup rm sed shred stdbuf tee timeout touch truncate xargs'.split(
    ' ',
  ),
);

/** Where the GNU tools are not the system's own, each has a `g` before its name. */
function withoutPrefix(name: string): string {
  return name.startsWith('g') && gnuTools.has(name.slice(1)) ? name.slice(1) : name;
}

/** A command line as a person is shown it: on one line, not too long, its holes as dots. */
export function shownCommand(argv: readonly string[]): string {
  const text = argv
    .map((arg) => (arg === '' || /[\s;&|<>()]/.test(arg) ? `'${arg}'` : arg))
    .join(' ');
  return shownText(text);
}

/** The same for a text that could not be taken apart. */
export function shownText(text: string): string {
  return firstLine(text.replace(/[\uFFFB\uFFFC]/g, '…').replace(/\s+/g, ' '), 200);
}
