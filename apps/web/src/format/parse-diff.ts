/** A line of a diff with its number before and after the change. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'hunk' | 'note';
  text: string;
  before: number | null;
  after: number | null;
}

/** Reads a unified diff of one file for showing; names, modes and hashes are left out. */
export function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let isInside = false;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      isInside = true;
      lines.push({ kind: 'hunk', text: line, before: null, after: null });
    } else if (!isInside) {
      if (!/^(diff |index |--- |\+\+\+ |$)/.test(line)) lines.push(note(line));
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'added', text: line.slice(1), before: null, after: after++ });
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text: line.slice(1), before: before++, after: null });
    } else if (line.startsWith('\\')) {
      lines.push(note(line.slice(1).trim()));
    } else {
      lines.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
    }
  }
  return lines;
}

function note(text: string): DiffLine {
  return { kind: 'note', text, before: null, after: null };
}
