import { describe, expect, it } from 'vitest';
import { fieldsOf, holeMark } from './expand-words.ts';
import { parseShell } from './parse-shell.ts';

/** Every call of a script, wherever it stands. */
function callsIn(source: string): string[] {
  return parseShell(source).calls.map((words) => fieldsOf(words, () => holeMark).join(' '));
}

describe('words', () => {
  it.each([
    ['a \'b  c\' "d e"', 'a b  c d e'],
    ['a\\ b', 'a b'],
    ['a"b"\'c\'', 'abc'],
    ['echo "\\$x \\a"', 'echo $x \\a'],
    ["echo $'a\\tb\\u0041\\101'", 'echo a\tbAA'],
    ['echo {a,b}{1,2}', 'echo a1 a2 b1 b2'],
    ["echo '{a,b}' {} {x} a{,b}", 'echo {a,b} {} {x} a ab'],
    ['echo {1..3}', `echo ${holeMark}`],
    [`echo $x "\${y%.*}" $((1 + 2)) $[1]`, `echo ${Array(4).fill(holeMark).join(' ')}`],
    ['A=1 B+=2 C[0]=3 ls', 'ls'],
    ['ls # a comment', 'ls'],
    ['echo a#b', 'echo a#b'],
    ['ls \\\n  -l', 'ls -l'],
    ['ls 2>&1 >out <in', 'ls'],
    ['echo $', 'echo $'],
  ])('%s', (source, call) => {
    expect(callsIn(source)).toEqual([call]);
  });

  it('are separated by nothing but blanks and newlines', () => {
    expect(callsIn('a\u00a0b\rc')).toEqual(['a\u00a0b\rc']);
    expect(callsIn('a\u00a0#; b')).toEqual(['a\u00a0#', 'b']);
  });
});

describe('every command is found', () => {
  it.each([
    ['a; b & c && d || e | f |& g\nh', 'a b c d e f g h'],
    ['(a; (b)); { c; }', 'a b c'],
    ['if a; then b; elif c; then d; else e; fi', 'a b c d e'],
    ['while a; do b; done; until c; do d; done', 'a b c d'],
    ['for x in 1 2; do a; done; for x; do b; done; for ((i=0;i<2;i++)); do c; done', 'a b c'],
    ['for x in 1\ndo\n  a\ndone', 'a'],
    ['case x in (p|q) a;; r) b ;& *) c; esac; d', 'a b c d'],
    ['f() { a; }; function g { b; }; function h() (c)', 'a b c'],
    ['a $(b) `c` "$(d)" "`e`" <(f) >(g)', 'a b c d e f g'],
    ['a `b \\`c\\``', 'a b c'],
    ['x=$(a) y=("$(b)" c) z[$(d)]=1', 'a b d'],
    [`a \${x:-$(b)} "\${x:-"$(c)"}" $(( $(d) + 1 ))`, 'a b c d'],
    ['[[ $(a) > b && ( -f c || d =~ ^(e|f)$ ) ]] && g', 'a g'],
    ['(( $(a) > 2 )); b', 'a b'],
    ['((a); (b))', 'a b'],
    ['a $((b); (c))', 'a b c'],
    ['! a | b; time c; time -p d; ! (e)', 'a b c d e'],
    ['a <<X; b\n$(c)\nX\nd', 'a b c d'],
    ["a <<'X'; b\n$(c)\nX\nd", 'a b d'],
    ['a <<-X\n\t$(b)\n\tX\nc', 'a b c'],
    ['a <<X <<Y\n1\nX\n2 $(b)\nY\nc', 'a b c'],
    ['a <<X\n1\\\nX\n2\nX\nb', 'a b'],
    ['a <<X\\\nY\n$(b)\nXY\nc', 'a b c'],
    ['a <<< "$(b)"', 'a b'],
    ['a $(b <<X\n$(c)\nX\n) d', 'a b c'],
    ['a > "$(b)"; > x', 'a b'],
  ])('%s', (source, programs) => {
    const found = callsIn(source).map((call) => call.split(' ')[0]);
    expect(found.sort().join(' ')).toBe(programs);
  });
});

describe('variables', () => {
  it('are given with every value that they may have', () => {
    const { assigned } = parseShell(
      'A=1; A=2 ls; export B=3; for C in 4 5; do ls; done; D=(6 7); f() { ls; }; f 8',
    );
    const values = [...assigned].map(([name, words]) => [name, fieldsOf(words, () => holeMark)]);
    expect(Object.fromEntries(values)).toEqual({
      A: ['1', '2'],
      B: ['3'],
      C: ['4', '5'],
      D: ['6', '7'],
      '@': ['8'],
    });
  });
});
