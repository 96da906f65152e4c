import type { Message } from '@loom/shared/api';
import { expect, test } from 'vitest';
import { jsonlForm } from './jsonl-form.ts';

test('a message is one line for every reader of lines, and unchanged', () => {
  const content = 'a\nb\r\u0085\u2028\u2029\u000b\u001c😀"\\';
  const line = jsonlForm.message({ number: 1, content } as Message);
  const lineEnds = [...'\n\r\u0085\u2028\u2029\u000b\u001c'];
  expect(lineEnds.filter((end) => line.includes(end))).toEqual(['\n']);
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(JSON.parse(line)).toEqual({ number: 1, content });
});
