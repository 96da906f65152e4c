/** A typed line: nothing, something to say, or a command. */
export type ChatInput =
  | { kind: 'nothing' }
  | { kind: 'message'; content: string }
  | { kind: 'command'; name: string; rest: string };

/** Reads a line: `/name rest` is a command, and `//` says what begins with a slash. */
export function readInput(line: string): ChatInput {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  if (text.startsWith('//')) return { kind: 'message', content: text.slice(1) };
  if (!text.startsWith('/')) return { kind: 'message', content: text };
  const { first, rest } = splitWord(text.slice(1));
  return { kind: 'command', name: first.toLowerCase(), rest };
}

/** The first word of a text, and what follows it. */
export function splitWord(text: string): { first: string; rest: string } {
  const [first = ''] = text.split(/\s/, 1);
  return { first, rest: text.slice(first.length).trim() };
}
