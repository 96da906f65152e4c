/** A pattern without wildcards, escapes or a way inside: the name of an entry, perhaps of a directory only. */
const plainName = /^\/?([\w.+@-]+)\/?$/;

/**
 * The names that a `.gitignore` ignores plainly, below its directory or, with a slash before them,
 * in it. Patterns with wildcards are not read, so what they ignore is looked at all the same;
 * a name that is taken back by any negation does not count.
 */
export function ignoredNames(gitignore: string): { here: Set<string>; below: Set<string> } {
  const lines = gitignore.split(/\r?\n/).map((line) => line.trimEnd());
  const takenBack = lines.filter((line) => line.startsWith('!')).join('\n');
  const here = new Set<string>();
  const below = new Set<string>();
  for (const line of lines) {
    const name = plainName.exec(line)?.[1];
    if (name === undefined || takenBack.includes(name)) continue;
    (line.startsWith('/') ? here : below).add(name);
  }
  return { here, below };
}
