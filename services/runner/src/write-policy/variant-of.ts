import { posix } from 'node:path';

/** Words by which a second version of a file is told from the first. */
const words =
  /^(v|ver|version|rev|revision|revised|copy|of|new|old|bak|backup|orig|original|final|fix|fixed|corrected|updated|improved|draft|tmp|temp|alt|alternative|retry|attempt|take)\d*$/;
const numbers = /^v?\d+$/;
const suffixes = /^(~|\.(bak|backup|old|orig|original|new|copy|tmp|temp|\d+))+$/i;
const separator = /[\s._()-]/;
const separators = /[\s._()-]+/;

/** The deliverable of which a path is a second version beside it (`report-v2.md`), or null. Paths are normalised. */
export function variantOf(path: string, deliverables: readonly string[]): string | null {
  if (deliverables.includes(path)) return null;
  return deliverables.find((deliverable) => isVariant(path, deliverable)) ?? null;
}

function isVariant(path: string, deliverable: string): boolean {
  const wanted = deliverable.split('/');
  const given = path.split('/');
  const last = wanted.length - 1;
  const name = wanted[last] ?? '';
  if (wanted.slice(0, last).some((part, index) => part !== given[index])) return false;
  // Only a directory has paths below it.
  if (given.length > wanted.length && posix.extname(name) !== '') return false;
  return isVariantName(given[last] ?? '', name);
}

function isVariantName(given: string, name: string): boolean {
  if (given === name || given === '') return false;
  if (given.startsWith(name) && suffixes.test(given.slice(name.length))) return true;
  const extension = posix.extname(name);
  if (posix.extname(given).toLowerCase() !== extension.toLowerCase()) return false;
  return isVariantStem(stemOf(given, extension), stemOf(name, extension));
}

function stemOf(name: string, extension: string): string {
  return extension === '' ? name : name.slice(0, -extension.length);
}

/** Whether there is nothing around the stem but marks of a second version. */
function isVariantStem(given: string, stem: string): boolean {
  const where = given.toLowerCase();
  const what = stem.toLowerCase();
  for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, at + 1)) {
    if (isMarkBefore(given.slice(0, at)) && isMarkAfter(given.slice(at + stem.length))) return true;
  }
  return false;
}

function isMarkBefore(text: string): boolean {
  if (text === '') return true;
  return separator.test(text.at(-1) ?? '') && tokensOf(text).every((token) => words.test(token));
}

function isMarkAfter(text: string): boolean {
  if (text === '') return true;
  // A capital begins a word as a separator does: reportFinal.
  const isApart = separator.test(text[0] ?? '') || /^(v?\d|[A-Z])/.test(text);
  const tokens = tokensOf(text);
  return isApart && tokens.every((token) => words.test(token) || numbers.test(token));
}

function tokensOf(text: string): string[] {
  const spaced = text.replaceAll(/([a-z0-9])(?=[A-Z])/g, '$1-').toLowerCase();
  return spaced.split(separators).filter((token) => token !== '');
}
