/** What a subtask makes, as a heading: "Write a haiku about rain to rain.md" is "Haiku about rain". */
export function titleOf(description: string): string {
  const line = description.trim().split('\n', 1)[0] ?? '';
  const thing = line
    .replace(/^write\s+/i, '')
    .replace(/\s+to\s+\S+\.\w+\s*$/, '')
    .replace(/^(?:an?|the|some)\s+/i, '');
  const isFileName = /^\S+\.\w+$/.test(thing);
  return isFileName ? thing : thing.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}
