import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { judgeCommand } from './judge-command.ts';

const run = promisify(execFile);

let root = '';
let shell = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'loom-gate-'));
  await mkdir(join(root, 'bin'));
  const find = async (program: string) =>
    (await run('/bin/sh', ['-c', `command -v ${program}`])).stdout.trim();
  shell = await find('bash');
  for (const program of ['bash', 'cat', 'env', 'sh', 'xargs']) {
    await symlink(await find(program), join(root, 'bin', program));
  }
  // Deletes nothing, and tells when it was asked to do so with all that is in a directory.
  const stub = '#!/bin/sh\ncase "$1" in --*) ;; -*r*) echo "$@" >> "$RAN" ;; esac\n';
  await writeFile(join(root, 'bin/rm'), stub);
  await chmod(join(root, 'bin/rm'), 0o755);
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** Whether a real shell deletes directories when it is given this script. */
async function deletes(script: string): Promise<boolean> {
  const directory = await mkdtemp(join(root, 'script-'));
  const ran = `${directory}.log`;
  const env = { PATH: join(root, 'bin'), RAN: ran, FUNCNEST: '20' };
  // Most of these scripts fail somewhere; what counts is what ran until then.
  await run(shell, ['-c', script], { cwd: directory, env, timeout: 5_000 }).catch(() => null);
  return readFile(ran).then(
    () => true,
    () => false,
  );
}

/** Scripts that only talk of deleting. */
const words = fc.constantFrom(
  'echo "a; rm -rf x; "',
  "echo 'a; rm -rf x; b'",
  'echo a \\; rm -rf x',
  '# it; rm -rf x;',
  "cat <<'EOF'\nit; rm -rf x; $(rm -rf x)\nEOF\n",
  'cat <<EOF\nrm -rf x\nEOF\n',
  'cat <<-EOF\n\trm -rf x\n\tEOF\n',
  'cat <<A <<B\nrm -rf x\nA\nrm -rf x\nB\n',
  'echo $(cat <<EOF\nrm -rf x\nEOF\n)',
  '[[ "; rm -rf x" == a ]]',
  'case "rm -rf x" in a) true;; esac',
  'for i in rm -rf x; do echo "$i"; done',
  'if true; then echo "rm -rf x"; fi',
  `echo "\${x:-a; rm -rf x }"`,
  "X='; rm -rf x;'",
  'a=(rm -rf x)',
  'echo \\`rm -rf x\\`',
  "echo $'it\\'; rm -rf x;'",
  'echo "\\$(rm -rf x)"',
  'echo a#b rm -rf x',
  'echo $((1+1)) rm -rf x',
  'echo "$(echo "rm -rf x")"',
  'f() { echo rm -rf x; }; f',
  'env A=1 echo rm -rf x',
  'echo x | xargs echo rm -rf',
);

const separators = fc.constantFrom('; ', '\n', ' && ', ' || ', ' | ', ' & ', ' ', '\\\n');

/** What may turn talk into deeds. */
const noise = fc.constantFrom(
  ...'\'"`\\\n#({$});&|<> \t!=*-\r\u00a0'.split(''),
  ...['$(', '<<EOF\n', '\nEOF\n', '\\\n', "$'", '((', '))', '[[ ', ' ]]', ';;', '<(', `\${`],
  ...[' # ', "\\'", '\\"', 'in ', 'do ', 'then ', 'esac', 'fi', 'if '],
);

const script = fc
  .record({
    parts: fc.array(fc.tuple(words, separators), { minLength: 1, maxLength: 3 }),
    noise: fc.array(fc.tuple(fc.nat(1_000), noise), { minLength: 1, maxLength: 4 }),
  })
  .map(({ parts, noise: pieces }) =>
    pieces.reduce((text, [at, piece]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + piece + text.slice(place);
    }, parts.flat().join('')),
  );

it('whatever a real shell runs of a script has been seen', async () => {
  const allowed = fc
    .sample(script, { numRuns: 800, seed: 20_261_116 })
    .filter((text) => judgeCommand(text) === null);
  const missed: string[] = [];
  for (const text of allowed) {
    if (await deletes(text)) missed.push(text);
  }
  expect(missed).toEqual([]);
  expect(allowed.length).toBeGreaterThan(200);
});

it.each([
  'rm -rf x',
  "sh -c 'rm -rf x'",
  '{rm,-rf,x}',
  `echo "a\${b:-"$\\(rm -rf x)"}"`,
  'echo $\\\n(rm -rf x)',
  'a=(x)\\\n#; rm -rf x',
  'cat <<E\\\nOF\n$(rm -rf x)\nEOF\n',
])('a real shell runs what is asked about: %j', async (text) => {
  expect(judgeCommand(text)).not.toBeNull();
  expect(await deletes(text)).toBe(true);
});
