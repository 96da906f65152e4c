import { knownTools, toolCategory } from './known-tools.ts';
import { wordsOf } from './words-of.ts';

/** What exposure knows of a tool. */
export interface ToolChoice {
  name: string;
  description: string;
  /** Size of what a model would be sent for it. */
  schema_bytes: number;
}

/** What the next call is likely to be about. */
export interface ToolIntent {
  /** Words of the user. */
  text: string;
  /** Tools that were used last, newest first. */
  recent: readonly string[];
  /** Nothing is wanted but a friendly word. */
  small_talk: boolean;
}

/** How likely a tool is wanted; the lower the likelier. Coarse, so that like requests give like lists. */
export const toolTiers = {
  recent: 0,
  /** Asked for by three words of its name, or by a word that stands for one of our own. */
  named: 1,
  named_twice: 2,
  named_once: 3,
  described: 4,
  own: 5,
  other: 6,
} as const;

/** Words of a description that must occur in a request before the tool counts as described. */
const minDescribed = 2;
const minDescribedLength = 4;

const askedBy = new Map(
  Object.entries(knownTools).map(([name, { asked_by }]) => [name, wordsOf(asked_by)]),
);

/** The tier of each tool for an intent. */
export function toolTier(intent: ToolIntent): (tool: ToolChoice) => number {
  const recent = new Set(intent.recent);
  const wanted = wordsOf(intent.text);
  return (tool) => {
    if (recent.has(tool.name)) return toolTiers.recent;
    const asked = askedBy.get(tool.name);
    if (asked === undefined) return strangersTier(tool, wanted);
    return countIn(asked, wanted) > 0 ? toolTiers.named : toolTiers.own;
  };
}

/** Of a tool that is not ours nothing is known but how it describes itself. */
function strangersTier(tool: ToolChoice, wanted: ReadonlySet<string>): number {
  const named = countIn(wordsOf(`${tool.name} ${toolCategory(tool.name)}`), wanted);
  if (named >= 3) return toolTiers.named;
  if (named === 2) return toolTiers.named_twice;
  if (named === 1) return toolTiers.named_once;
  const telling = [...wordsOf(tool.description)].filter(
    (word) => word.length >= minDescribedLength,
  );
  return countIn(telling, wanted) >= minDescribed ? toolTiers.described : toolTiers.other;
}

function countIn(words: Iterable<string>, wanted: ReadonlySet<string>): number {
  return [...words].filter((word) => wanted.has(word)).length;
}
