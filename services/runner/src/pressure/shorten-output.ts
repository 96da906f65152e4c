import { cutText } from '@loom/shared/text';

const forms = {
  soft: { whole: 1_600, head: 600, tail: 300 },
  hard: { whole: 500, head: 160, tail: 0 },
} as const;

const references = /af_\w+/g;
const exitCode = /\bexit (?:code|status):? -?\d+/;
// Begins where no name goes on, so that a long run of letters is walked through once.
const paths = /(?<![\w.@/-])(?:[\w.@-]+\/)+[\w.@-]+/g;

const maxReferences = 8;
const maxPaths = 5;
const maxPath = 60;
/** Paths are looked for near the beginning of what is cut: that is where outputs name them. */
const pathsWithin = 1_000;

/** The output of an old call by its beginning and end; what it refers to stays, and the cut is named. */
export function shortenOutput(text: string, callKey: string, form: keyof typeof forms): string {
  const { whole, head, tail } = forms[form];
  if (text.length <= whole) return text;
  const start = cutText(text, head);
  const end = tail === 0 ? '' : text.slice(-tail).replace(/^[\uDC00-\uDFFF]/, '');
  const middle = text.slice(start.length, text.length - end.length);
  const named = namesIn(middle, form === 'soft');
  const note = `… ${middle.length} characters cut; the full text is in the journal (call ${callKey})${named}`;
  const short = `${start}\n${note}${end === '' ? '' : `\n${end}`}`;
  return short.length < text.length ? short : text;
}

/** What the part that is cut refers to. */
function namesIn(text: string, withPaths: boolean): string {
  const names = [
    ...firstOf(text.matchAll(references), maxReferences),
    ...(text.includes('exit ') ? (exitCode.exec(text) ?? []) : []),
    ...(withPaths ? firstOf(text.slice(0, pathsWithin).matchAll(paths), maxPaths) : []),
  ];
  return names.length === 0 ? '' : `; it names ${names.join(', ')}`;
}

function firstOf(matches: Iterable<RegExpMatchArray>, max: number): string[] {
  const found = new Set<string>();
  for (const [name] of matches) {
    if (name.length <= maxPath) found.add(name);
    if (found.size === max) break;
  }
  return [...found];
}
