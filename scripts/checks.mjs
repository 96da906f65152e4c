import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What `npm run check` checks besides the architecture, and `npm test` checks again. */
export const checks = [
  { name: 'types', program: 'typescript/bin/tsc', args: ['-p', '.', '--pretty', 'false'] },
  { name: 'lint and format', program: '@biomejs/biome/bin/biome', args: ['ci', '--colors=off'] },
  { name: 'unused code', program: 'knip/bin/knip.js', args: ['--no-progress'] },
];

/** Runs one check and gives back whether it passed, with everything that it printed. */
export function runCheck({ program, args }) {
  const command = join(root, 'node_modules', program);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ passed: code === 0, output: output.trim() }));
  });
}
