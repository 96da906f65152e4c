const alphabet = [...'abcdefghijklmnopqrstuvwxyz'];
const shortest = 5;
const longest = 24;

/** What a word could have been with one letter wrong, missing, too many or two swapped; a digit is no typo. */
export function spellingVariants(word: string): string[] {
  const letters = [...word];
  if (letters.length < shortest || letters.length > longest || !/^\p{L}+$/u.test(word)) return [];
  const variants = new Set<string>();
  const others = new Set([...alphabet, ...letters]);
  for (let place = 0; place <= letters.length; place++) {
    const before = letters.slice(0, place).join('');
    const [here = '', next = ''] = letters.slice(place, place + 2);
    const after = letters.slice(place + 1).join('');
    const afterNext = letters.slice(place + 2).join('');
    for (const other of others) variants.add(before + other + here + after);
    if (here === '') continue;
    variants.add(before + after);
    for (const other of others) variants.add(before + other + after);
    if (next !== '') variants.add(before + next + here + afterNext);
  }
  variants.delete(word);
  return [...variants];
}
