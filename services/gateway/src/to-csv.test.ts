import { expect, it } from 'vitest';
import { toCsv } from './to-csv.ts';

it('quotes what would end a cell, and ends every line', () => {
  const rows = [['a,b', 'say "hi"', 'two\r\nlines', 'plain', 7, null, undefined, '']];
  expect(toCsv(['1', '2', '3', '4', '5', '6', '7', '8'], rows)).toBe(
    '1,2,3,4,5,6,7,8\r\n"a,b","say ""hi""","two\r\nlines",plain,7,,,\r\n',
  );
  expect(toCsv(['a'], [])).toBe('a\r\n');
});

it('lets no text be a formula', () => {
  const texts = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("x,y")', 'a=1'];
  const cells = toCsv(
    ['x'],
    texts.map((text) => [text]),
  )
    .split(/\r\n(?=.)|\r\n$/)
    .slice(1);
  expect(cells).toEqual([
    "'=1+1",
    "'+1",
    "'-1",
    "'@SUM(A1)",
    "'\t=1",
    '"\'\r=1"',
    `"'=HYPERLINK(""x,y"")"`,
    'a=1',
    '',
  ]);
  expect(toCsv(['x'], [[-1]])).toBe('x\r\n-1\r\n');
});
