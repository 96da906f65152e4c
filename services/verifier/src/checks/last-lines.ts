/** The end of an output: its last lines, within so many characters. */
export function lastLines(text: string, max = { lines: 15, characters: 500 }): string {
  const lines = text.trimEnd().split('\n').slice(-max.lines).join('\n');
  return lines.length <= max.characters ? lines : `…${lines.slice(1 - max.characters)}`;
}
