import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isDestructive } from './approval-gate.ts';

const asksFor = (command: string) => isDestructive('shell_execute', { command });

const gatedCalls = [
  ['rm', '-rf', 'build'],
  ['/bin/rm', 'build', '--recursive'],
  ['find', '.', '-delete'],
  ['git', 'push', '--force'],
  ['git', '-C', 'x', 'reset', '--hard'],
  ['git', 'clean', '-fd'],
  ['chmod', '-R', '777', '.'],
  ['sudo', 'ls'],
  ['psql', '-c', 'drop table users'],
  ['tee', '.env'],
  ['cp', '-t', '.ssh', 'a'],
];

const single = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const double = (text: string) => `"${text.replace(/["$`\\]/g, '\\$&')}"`;
const ansi = (text: string) =>
  `$'${[...text].map((char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`).join('')}'`;
const backslashes = (text: string) => text.replace(/[^\n]/g, '\\$&');
const split = (text: string) => `${single(text.slice(0, 1))}${double(text.slice(1))}`;

const anyQuotes = fc.constantFrom(single, double, ansi, backslashes, split);
const aroundScripts = fc.constantFrom(single, double, ansi);

/** A gated call, each of its words quoted in some way. */
const gatedCall = fc.constantFrom(...gatedCalls).chain((words) =>
  fc
    .array(
      fc.option(anyQuotes, { nil: (text: string) => (/\s/.test(text) ? single(text) : text) }),
      {
        minLength: words.length,
        maxLength: words.length,
      },
    )
    .map((quotes) => words.map((word, at) => quotes[at]?.(word) ?? word).join(' ')),
);

// Around one command with its arguments.
const callWrappers: ((call: string) => string)[] = [
  (call) => `env A=1 ${call}`,
  (call) => `/usr/bin/env -i -u B ${call}`,
  (call) => `command ${call}`,
  (call) => `nohup ${call} &`,
  (call) => `time ${call}`,
  (call) => `timeout -k 1 5s ${call}`,
  (call) => `nice -n 5 ${call}`,
  (call) => `exec ${call}`,
  (call) => `A=1 B="x y" ${call}`,
  (call) => `ls | xargs -n 1 ${call}`,
  (call) => `find . -name x -exec ${call} \\;`,
  (call) => `${call} > out 2>&1 < in`,
  (call) => `busybox ${call}`,
  (call) => call,
];

// Around a whole script.
const scriptWrappers: ((script: string, quote: (text: string) => string) => string)[] = [
  (script, quote) => `sh -c ${quote(script)}`,
  (script, quote) => `bash -lc ${quote(script)} name argument`,
  (script, quote) => `bash -euo pipefail -c ${quote(script)}`,
  (script, quote) => `eval ${quote(script)}`,
  (script, quote) => `trap ${quote(script)} EXIT`,
  (script, quote) => `printf %s ${quote(script)} | sh`,
  (script, quote) => `bash <<< ${quote(script)}`,
  (script) => `bash <<'END_OF_SCRIPT'\n${script}\nEND_OF_SCRIPT\n`,
  (script) => `echo "$(${script}\n)"`,
  (script) => `x=$(${script}\n) y=1`,
  (script) => `cat <(${script}\n)`,
  (script) => `echo \`${script.replace(/[`\\$]/g, '\\$&')}\``,
  (script) => `(${script}\n)`,
  (script) => `{ ${script}\n}`,
  (script) => `cd x && ${script}`,
  (script) => `true; # a comment\n${script}`,
  (script) => `if true; then ${script}\nfi`,
  (script) => `for i in 1 2; do ${script}\ndone`,
  (script) => `case $1 in a|b) ${script}\n;; esac`,
  (script) => `run() { ${script}\n}; run`,
  (script) => `! ${script}`,
];

const wrapping = fc.record({ wrap: fc.constantFrom(...scriptWrappers), quote: aroundScripts });

it('a gated command stays gated, however it is quoted and wrapped', () => {
  fc.assert(
    fc.property(
      gatedCall,
      fc.constantFrom(...callWrappers),
      fc.array(wrapping, { maxLength: 3 }),
      (call, around, wrappings) => {
        const command = wrappings.reduce(
          (script, { wrap, quote }) => wrap(script, quote),
          around(call),
        );
        expect(asksFor(command), command).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});

/** Text that would do harm if any of it ran. */
const dangerousText = fc
  .array(
    fc.constantFrom(
      'rm -rf /',
      ...['; rm -rf x;', '\nrm -rf x\n', '$(rm -rf x)', '`rm -rf x`', '| sudo sh', '> .env'],
      ...['git push --force', 'drop table users;', "'", '"', '\\', '#', '$', '(', ')', '{', '}'],
      ...['<<EOF', '&&', ' ', '\n', 'it’s', '--', '-rf', ';;', '${x:-', '\\\n'],
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

const harmless: ((argument: string) => string)[] = [
  (argument) => `echo ${argument}`,
  (argument) => `printf '%s\\n' ${argument} > notes.md`,
  (argument) => `grep -r ${argument} . | head -5`,
  (argument) => `git commit -m ${argument} && git push`,
  (argument) => `git log --grep=${argument}`,
  (argument) => `node check.js ${argument} || echo "no"`,
  (argument) => `[[ $x == ${argument} ]] && ls`,
  (argument) => `NOTE=${argument} npm test`,
];

it('a harmless command stays allowed, whatever its quoted argument says', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...harmless),
      dangerousText,
      fc.constantFrom(single, double, ansi),
      (command, text, quote) => {
        expect(asksFor(command(quote(text))), command(quote(text))).toBe(false);
      },
    ),
    { numRuns: 2_000 },
  );
});

it('the text of a here-document that is written to a file stays text', () => {
  fc.assert(
    fc.property(dangerousText, (text) => {
      expect(asksFor(`cat > notes.md <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT\nls`)).toBe(false);
    }),
  );
});

it('any text at all gets an answer', () => {
  const pieces = fc.constantFrom(
    ...'\'"`\\$(){}[]<>|&;#!~*?=+-/ \n\tarm0@%,'.split(''),
    ...[
      'rm -rf',
      '<<E\n',
      '\nE\n',
      '$((',
      '${x:-',
      ' do ',
      ' then ',
      'case x in ',
      '[[ ',
      'sh -c ',
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (text) => {
      expect(asksFor(text.join(''))).toBeTypeOf('boolean');
    }),
    { numRuns: 3_000 },
  );
});
