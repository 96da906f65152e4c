import { expect, test } from 'vitest';
import { placeTodos } from './place-todos.ts';

/** `a` is open, `-a` is closed, `a@2` asks for the second place. */
const parse = (text: string) => {
  const [name = '', order] = text.split('@');
  const open = !name.startsWith('-');
  return { name, open, ...(order === undefined ? {} : { order: Number(order) }) };
};
const list = (text: string) => text.split(' ').filter(Boolean).map(parse);

test.each([
  ['', 'a b c', 'a b c'],
  ['a b', 'c', 'a b c'],
  ['', 'b@2 a@1 c@3', 'a b c'],
  ['', 'b@2 a@1 c', 'a b c'],
  ['', 'a b c@1', 'c a b'],
  ['a b', 'c@1 d@1', 'c d a b'],
  ['a b', 'd@3 c@2', 'a c d b'],
  ['a b', 'c@99', 'a b c'],
  ['-x a -y b', 'c@2', '-x a -y c b'],
  ['-x -y', 'c@1', '-x -y c'],
  ['a', 'd@9 c@9', 'a d c'],
])('[%s] with [%s] is [%s]', (known, added, expected) => {
  const placed = placeTodos(list(known), list(added));
  expect(placed.map(({ name }) => name).join(' ')).toBe(expected);
});
