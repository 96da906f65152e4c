import { decodeEchoEscapes, decodeEscapes } from './decode-escapes.ts';
import { fieldsOf, fileMark, holeMark, ordinaryText, textOf, type Values } from './expand-words.ts';
import { programName } from './program-name.ts';
import type { Hole, Pipeline, Redirect, ShellNode, ShellWord } from './shell-syntax.ts';

// A few guesses find what is hidden plainly; the limits keep a script that doubles a text over
// and over from costing anything.
const limits = { guesses: 32, filled_holes: 32, value_chars: 1_000, printed_chars: 50_000 };

/** What a command reads: for certain, and with guesses in the holes. */
export interface Stdin {
  text: string;
  likely: string;
  /** It is, or comes from, a list of everything below some directory. */
  from_search: boolean;
}

/** Leaves a hole open unless its text is beyond doubt. */
export function fillCertain(values: Values): (hole: Hole) => string {
  return (hole) => ordinaryText(hole, values) ?? (hole.is_file ? fileMark : holeMark);
}

function fillLikely(values: Values): (hole: Hole) => string {
  const certain = fillCertain(values);
  let filled = 0;
  return (hole) => {
    filled += 1;
    return (filled <= limits.filled_holes ? guesses(hole, values)[0] : undefined) ?? certain(hole);
  };
}

/** What may be in a hole, by what the script itself assigns, falls back to and prints. */
function guesses(hole: Hole, values: Values): string[] {
  const { variable, fallback, output } = hole;
  const found = variable === null ? [] : assignedTo(variable, values);
  if (fallback !== null) found.push(fallback);
  if (output !== null) {
    found.push(outputOf(output, null, fillLikely(values)).replace(/\n+$/, ''));
  }
  return found;
}

function assignedTo(variable: string, values: Values): string[] {
  const known = values.get(variable);
  if (known !== undefined) return [...known];
  const isPositional = /^[\d*]$/.test(variable);
  return isPositional ? (values.get('@') ?? []).flatMap((text) => [text, ...text.split(' ')]) : [];
}

/** The texts that a word may also have; the most likely first, not all of very many. */
export function likelyTexts(word: ShellWord, values: Values): string[] {
  return combinations([word], values).map((fill) => textOf(word, fill));
}

/** The command lines that words may also become. */
export function likelyFields(words: readonly ShellWord[], values: Values): string[][] {
  return combinations(words, values).map((fill) => fieldsOf(words, fill));
}

function combinations(words: readonly ShellWord[], values: Values): ((hole: Hole) => string)[] {
  const choices = new Map<Hole, string[]>();
  for (const unit of words.flat()) {
    if (unit.kind !== 'hole' || choices.size >= limits.filled_holes) continue;
    const found = guesses(unit, values);
    if (found.length > 0) choices.set(unit, found);
  }
  if (choices.size === 0) return [];
  const count = [...choices.values()].reduce((product, { length }) => product * length, 1);
  return Array.from({ length: Math.min(count, limits.guesses) }, (_, index) => {
    let rest = index;
    const picked = new Map<Hole, string>();
    for (const [hole, texts] of choices) {
      picked.set(hole, texts[rest % texts.length] ?? '');
      rest = Math.floor(rest / texts.length);
    }
    return (hole: Hole) => picked.get(hole) ?? fillCertain(values)(hole);
  });
}

/** The values that words assigned in a script add to those known before. */
export function withAssigned(known: Values, assigned: ReadonlyMap<string, ShellWord[]>): Values {
  const values = new Map(known);
  for (const [name, words] of assigned) {
    const texts = words.map((word) => textOf(word, fillLikely(values)));
    const certain = texts.filter(
      (text) => !text.includes(holeMark) && text.length <= limits.value_chars,
    );
    const added = name === '@' ? [certain.join(' '), ...certain] : certain;
    values.set(name, [...(values.get(name) ?? []), ...added]);
  }
  return values;
}

/** What the command behind `node` in a pipeline reads. */
export function stdinAfter(node: ShellNode, stdin: Stdin | null, values: Values): Stdin {
  const certain = fillCertain(values);
  const [program] = node.kind === 'call' ? fieldsOf(node.words.slice(0, 1), certain) : [];
  return {
    text: outputOfNode(node, stdin?.text ?? null, certain),
    likely: outputOfNode(node, stdin?.likely ?? null, fillLikely(values)),
    from_search:
      stdin?.from_search === true || /^(find|fd|fdfind)$/.test(programName(program ?? '') ?? ''),
  };
}

/** What a command reads by its own redirections, else what is piped to it. */
export function stdinOf(node: ShellNode, piped: Stdin | null, values: Values): Stdin | null {
  const text = redirectedText(node.redirects, fillCertain(values));
  if (text === undefined) return piped;
  if (text === null) return null;
  const likely = redirectedText(node.redirects, fillLikely(values)) ?? text;
  return { text, likely, from_search: false };
}

/** Undefined without such a redirection, null for a file. */
function redirectedText(
  redirects: readonly Redirect[],
  fill: (hole: Hole) => string,
): string | null | undefined {
  const last = redirects.findLast(({ operator }) => operator.startsWith('<') && operator !== '<&');
  if (last === undefined) return undefined;
  if (last.operator.startsWith('<<')) return textOf(last.word, fill);
  const [source] = last.word;
  if (source?.kind !== 'hole' || !source.is_file) return null;
  return outputOf(source.output ?? [], null, fill);
}

function outputOf(
  pipelines: readonly Pipeline[],
  stdin: string | null,
  fill: (hole: Hole) => string,
): string {
  return pipelines
    .map((pipeline) =>
      pipeline.reduce<string | null>((piped, node) => outputOfNode(node, piped, fill), stdin),
    )
    .join('');
}

function outputOfNode(node: ShellNode, piped: string | null, fill: (hole: Hole) => string): string {
  const redirected = redirectedText(node.redirects, fill);
  const stdin = redirected === undefined ? piped : redirected;
  if (node.kind === 'group') return outputOf(node.body, stdin, fill);
  const [program, ...args] = fieldsOf(node.words, fill);
  switch (program === undefined ? '' : programName(program)) {
    case '':
      return '';
    case 'echo':
      return echoed(args);
    case 'printf':
      return printed(args);
    case 'cat':
      return args.every((arg) => arg === '-') ? (stdin ?? holeMark) : holeMark;
    case 'tee':
      return stdin ?? holeMark;
    default:
      return holeMark;
  }
}

function echoed(args: string[]): string {
  const first = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const text = (first === -1 ? [] : args.slice(first)).join(' ');
  const options = (first === -1 ? args : args.slice(0, first)).join('');
  return `${options.includes('e') ? decodeEchoEscapes(text) : text}\n`;
}

function printed(args: string[]): string {
  const [format = '', ...values] = args[0] === '--' ? args.slice(1) : args;
  const slots = format.match(/%[^%a-zA-Z]*[a-zA-Z]/g)?.length ?? 0;
  const rounds = slots === 0 ? 1 : Math.max(1, Math.ceil(values.length / slots));
  if (rounds * format.length > limits.printed_chars) return holeMark;
  let used = 0;
  const round = () =>
    // The format's escapes first: they must not touch what is put into it.
    decodeEscapes(format).replace(/%%|%[^%a-zA-Z]*([a-zA-Z])/g, (found, conversion) => {
      if (found === '%%') return '%';
      const value = values[used] ?? '';
      used += 1;
      return conversion === 'b' ? decodeEchoEscapes(value) : value;
    });
  return Array.from({ length: rounds }, round).join('');
}
