import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Terminal } from '../terminal.ts';

const maxLines = 12;

/** Shows what stands in the files of a workspace, since the demo takes it away afterwards. */
export function showFiles(terminal: Terminal, workspace: string, paths: string[]): void {
  for (const path of paths) {
    const lines = readFileSync(join(workspace, path), 'utf8').trimEnd().split('\n');
    terminal.note(terminal.colors.bold(path));
    for (const line of lines.slice(0, maxLines)) terminal.print(`  ${line}`);
    if (lines.length > maxLines) terminal.print(`  … ${lines.length - maxLines} more lines`);
  }
}
