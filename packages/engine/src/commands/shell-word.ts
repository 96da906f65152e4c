import { newHole, ShellSyntaxError, type ShellWord, type WordUnit } from './shell-syntax.ts';

// More than anyone writes by hand; a few braces can ask for more words than there is memory.
const limits = { braces: 50, words: 500, units: 200_000 };

/** The text of a word that has no hole in it, else null. */
export function plainText(word: ShellWord): string | null {
  let text = '';
  for (const unit of word) {
    if (unit.kind === 'hole') return null;
    text += unit.char;
  }
  return text;
}

/** The words that `{a,b}` makes of one; a range as `{1..3}` becomes a hole. */
export function expandBraces(word: ShellWord): ShellWord[] {
  const braces = word.filter((unit) => isBare(unit, '{')).length;
  if (braces === 0) return [word];
  if (braces > limits.braces) throw new ShellSyntaxError('it has too many braces');
  const done: ShellWord[] = [];
  const open: ShellWord[] = [word];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const choices = firstBrace(next);
    if (choices === null) done.push(next);
    else open.push(...choices.reverse());
    const words = done.length + open.length;
    if (words > limits.words || words * word.length > limits.units) {
      throw new ShellSyntaxError('its braces make too many words');
    }
  }
  return done;
}

function firstBrace(word: ShellWord): ShellWord[] | null {
  for (let start = 0; start < word.length; start += 1) {
    if (!isBare(word[start], '{')) continue;
    const { commas, end } = braceAt(word, start);
    if (end === null) continue;
    const head = word.slice(0, start);
    const tail = word.slice(end + 1);
    if (commas.length > 0) {
      const edges = [start, ...commas, end];
      return edges
        .slice(1)
        .map((edge, index) => [...head, ...word.slice((edges[index] ?? 0) + 1, edge), ...tail]);
    }
    if (isRange(word.slice(start + 1, end))) return [[...head, newHole(true), ...tail]];
  }
  return null;
}

function braceAt(word: ShellWord, start: number): { commas: number[]; end: number | null } {
  const commas: number[] = [];
  let depth = 0;
  for (let at = start; at < word.length; at += 1) {
    if (isBare(word[at], '{')) depth += 1;
    else if (isBare(word[at], ',') && depth === 1) commas.push(at);
    else if (isBare(word[at], '}')) {
      depth -= 1;
      if (depth === 0) return { commas, end: at };
    }
  }
  return { commas, end: null };
}

function isBare(unit: WordUnit | undefined, char: string): boolean {
  return unit?.kind === 'char' && !unit.quoted && unit.char === char;
}

function isRange(units: WordUnit[]): boolean {
  return plainText(units)?.includes('..') ?? true;
}
