import { describe, expect, it } from 'vitest';
import { applyEdit } from './apply-edit.ts';

const edit = (text: string, old_str: string, new_str: string) =>
  applyEdit(text, { old_str, new_str }, 'the edit');

const file = [
  'export function area(width: number, height: number) {',
  '  return width * height;',
  '}',
  '',
  'export function ring(outer: number, inner: number) {',
  '  return outer * outer - inner * inner;',
  '}',
  '',
].join('\n');

describe('an exact match', () => {
  it('is replaced in place', () => {
    expect(edit('one two three', 'two', '2')).toBe('one 2 three');
  });

  it('takes the new text literally', () => {
    expect(edit('a b', 'b', '$& $1 \\n')).toBe('a $& $1 \\n');
  });

  it('must be unique, and the refusal says how many there are', () => {
    expect(() => edit('x x x', 'x', 'y')).toThrow(
      /occurs 3 times.*nothing|nothing.*occurs 3 times/,
    );
    expect(() => edit('aaa', 'aa', 'b')).toThrow(/occurs 2 times/);
  });
});

describe('a near match', () => {
  it('is found in spite of a small slip and replaces whole lines', () => {
    const result = edit(file, '  return outer*outer - inner * inner;', '  return 0;');
    expect(result).toBe(file.replace('  return outer * outer - inner * inner;', '  return 0;'));
  });

  it('spans several lines and leaves the last line end to the file', () => {
    const result = edit(
      file,
      'export function area(width: number, hight: number) {\n  return width * height;\n}\n',
      'export const area = 1;\n',
    );
    expect(result.startsWith('export const area = 1;\n\nexport function ring')).toBe(true);
  });

  it('joins lines when the new text drops the line end', () => {
    expect(edit('const value = 1;\nlast', 'const  value = 1;\n', 'x')).toBe('xlast');
  });

  it('is refused below 0.85', () => {
    expect(() => edit('abcdefghij\nzzz', 'abcdefgXYZ', 'x')).toThrow(
      /does not occur.*Read the file/,
    );
  });

  it('is refused when a second place is about as similar', () => {
    const twins = 'total = price * 1.19;\nother = 1;\ntotal = price * 1.07;\n';
    expect(() => edit(twins, 'total = price * 1.16;', 'x')).toThrow(/several places/);
  });

  it('is accepted when the second place is clearly less similar', () => {
    const text = 'total = price * 1.19;\nother = 1;\ntotals = prices + 1.07 + shipping;\n';
    expect(edit(text, 'total = price*1.19;', 'x')).toBe(
      'x\nother = 1;\ntotals = prices + 1.07 + shipping;\n',
    );
  });

  it('needs a gap of 0.05 to the runner-up, not less', () => {
    // 40 characters each: 38 shared are (38 + 1) / 41 alike, 36 shared (36 + 1) / 41.
    const wanted = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn';
    const best = `${wanted.slice(0, 38)}12`;
    expect(() => edit(`${best}\n${wanted.slice(0, 37)}123\n`, wanted, 'x')).toThrow(
      /several places/,
    );
    expect(edit(`${best}\n${wanted.slice(0, 35)}12345\n`, wanted, 'x')).toBe(
      `x\n${wanted.slice(0, 35)}12345\n`,
    );
  });

  it('begins at 0.85, not below', () => {
    // 19 characters each: 16 shared are (16 + 1) / 20 = 0.85 alike.
    const wanted = 'abcdefghijklmnopqrs';
    expect(edit(`${wanted.slice(0, 16)}123\nz`, wanted, 'x')).toBe('x\nz');
    expect(() => edit(`${wanted.slice(0, 15)}1234\nz`, wanted, 'x')).toThrow(/does not occur/);
  });

  it('is refused when more places look alike than can be compared', () => {
    const near = 'abcdefghijklmnopqrstuvwxyz 12345678!';
    const alike = Array.from({ length: 1_200 }, () => '!87654321 zyxwvutsrqponmlkjihgfedcba');
    const wanted = 'abcdefghijklmnopqrstuvwxyz 12345678?';
    expect(() => edit([near, ...alike, near].join('\n'), wanted, 'x')).toThrow(/several places/);
    expect(edit([near, ...alike.slice(0, 9)].join('\n'), wanted, 'x')).toMatch(/^x\n/);
  });

  it('is not confused by the overlapping neighbours of a long block', () => {
    const lines = Array.from(
      { length: 40 },
      (_, index) => `  step(${index % 7}, "same words here");`,
    );
    const text = ['begin();', ...lines, 'end();'].join('\n');
    const wanted = ['begin( );', ...lines].join('\n');
    expect(edit(text, wanted, 'all();')).toBe('all();\nend();');
  });

  it('stays quick on a large file', () => {
    const text = Array.from({ length: 50_000 }, (_, index) => `line ${index} of many lines`).join(
      '\n',
    );
    expect(() => edit(text, 'line 77 off many limes\nline 78 of many lines', 'x')).toThrow();
  });
});

describe('line endings', () => {
  it('keeps CRLF and matches text written with line feeds', () => {
    expect(edit('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\nc\r\n');
  });

  it('keeps CRLF on a near match', () => {
    const text = 'first line here\r\nsecond line here\r\nthird\r\n';
    expect(edit(text, 'first  line here\nsecond line here', 'new\nlines')).toBe(
      'new\r\nlines\r\nthird\r\n',
    );
  });

  it('leaves the other lines of a mixed file as they are', () => {
    expect(edit('a\nb\r\nc\nd\n', 'c', 'x\ny')).toBe('a\nb\r\nx\ny\nd\n');
  });
});
