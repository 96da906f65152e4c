import { expect, test } from 'vitest';
import { readCompletion } from './read-completion.ts';

const fence = '```';
const block = (json: string) => `${fence}completion\n${json}\n${fence}`;
const done = '{"status": "done", "summary": "It is written."}';

test('the block with its defaults, and the text around it', () => {
  expect(readCompletion(`Here it is.\n\n${block(done)}\n\nBye.`)).toEqual({
    kind: 'valid',
    completion: {
      status: 'done',
      summary: 'It is written.',
      deliverables: [],
      evidence: [],
      discoveries: [],
    },
    around: 'Here it is.\n\nBye.',
  });
});

test.each([
  ['capitals and blanks', `  ${fence} Completion  \r\n${done}\r\n  ${fence}`],
  ['a fence that is never closed', `${fence}completion\n${done}`],
  ['the last of several', `${block('{}')}\n${block(done)}`],
  [
    'a fence inside of a string',
    block(`{"status": "done", "summary": "It is written.", "evidence": ["${fence}js${fence}"]}`),
  ],
])('reads %s', (_, text) => {
  expect(readCompletion(text)).toMatchObject({
    kind: 'valid',
    completion: { status: 'done', summary: 'It is written.' },
  });
});

test('what was found is a sentence, or an object around one', () => {
  const json =
    '{"status": "done", "summary": "x", "discoveries": ["one", {"summary": "two", "detail": "d"}]}';
  expect(readCompletion(block(json))).toMatchObject({
    completion: { discoveries: ['one', 'two'] },
  });
});

test.each([
  ['no block', 'All is done.', 'no fenced block that begins with ```completion'],
  ['another block', `${fence}json\n${done}\n${fence}`, 'no fenced block'],
  ['the word in a sentence', `I end with ${fence}completion ${done}`, 'no fenced block'],
  ['no JSON', block('status: done'), 'not one JSON object'],
  ['a list', block('[]'), 'does not have the right fields'],
  [
    'an odd status',
    block('{"status": "finished", "summary": "x"}'),
    '"status" must be one of done',
  ],
  ['no summary', block('{"status": "done", "summary": " "}'), '"summary"'],
])('says what is wrong with %s', (_, text, problem) => {
  expect(readCompletion(text)).toMatchObject({
    kind: 'invalid',
    problem: expect.stringContaining(problem),
  });
});

test('a block that was begun many times counts from its last beginning', () => {
  const text = `${`${fence}completion\n`.repeat(20_000)}${block(done)}`;
  expect(readCompletion(text).kind).toBe('valid');
});
