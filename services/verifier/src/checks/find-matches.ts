import { lookAt } from './look-at.ts';

/** Bounds of a search: directories opened, and matches returned. */
const maxDirectories = 500;
const maxMatches = 50;

/** The paths that a pattern names: `*` stands for part of a name, `**` for any directories. */
export async function findMatches(workspace: string, pattern: string): Promise<string[]> {
  const found = new Set<string>();
  let opened = 0;

  const descend = async (base: string, segments: readonly string[]): Promise<void> => {
    const [head, ...rest] = segments;
    if (head === undefined || found.size >= maxMatches || opened >= maxDirectories) return;
    if (!head.includes('*') && rest.length > 0) return descend(join(base, head), rest);
    if (head === '**') await descend(base, rest.length > 0 ? rest : ['*']);
    opened += 1;
    const seen = await lookAt(workspace, base || '.');
    if (seen.kind !== 'directory') return;
    for (const { name, is_directory } of seen.entries) {
      const path = join(base, name);
      if (head === '**') {
        if (is_directory && !isForeign(name)) await descend(path, segments);
      } else if (matchesName(name, head)) {
        if (rest.length > 0) await descend(path, rest);
        else if (found.size < maxMatches) found.add(path);
      }
    }
  };

  await descend(
    '',
    pattern.split('/').filter((segment) => segment !== '' && segment !== '.'),
  );
  return [...found].sort();
}

function join(base: string, name: string): string {
  return base === '' ? name : `${base}/${name}`;
}

// What was installed or hidden is nobody's deliverable.
function isForeign(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

// Part by part instead of a regular expression: hostile patterns stay linear.
function matchesName(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const index = name.indexOf(part, at);
    if (index === -1) return false;
    at = index + part.length;
  }
  return name.endsWith(last) && name.length - last.length >= at;
}
