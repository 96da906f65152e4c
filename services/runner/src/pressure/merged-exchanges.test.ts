import { expect, test } from 'vitest';
import { journalOf } from '../test-support/long-journal.ts';
import { mergedExchanges, mergedTokens } from './merged-exchanges.ts';
import { messageTokens } from './message-tokens.ts';

const call = (name: string, output: string) => ({ name, argument: 'x', output });
const journal = journalOf([
  {
    text: 'first',
    calls: [call('read_file', 'line one\nline two\naf_9')],
    said: 'GUIDANCE: be brief',
  },
  { text: 'second', calls: [call('write_file', ''), call('read_file', 'two')], said: null },
]);

test('the calls with their outcomes, and what people said', () => {
  expect(mergedExchanges(journal, 40)).toEqual([
    {
      role: 'user',
      content: `EARLIER STEPS of this subtask are left out here: 3 tool calls, the full text of which is in the journal.
- read_file {"path":"a.md","content":"x"} → line one (af_9)
- write_file {"path":"a.md","content":"x"} → no output
- read_file {"path":"a.md","content":"x"} → two`,
    },
    { role: 'user', content: 'GUIDANCE: be brief' },
  ]);
});

test('of many calls the last are told', () => {
  const [told] = mergedExchanges(journal, 1);
  expect(told?.content).toContain('- 2 calls before these\n- read_file');
  const [none] = mergedExchanges(journal, 0);
  expect(none?.content.split('\n')).toHaveLength(1);
});

test('it takes no more room than it says', () => {
  const many = journalOf([
    {
      text: '',
      calls: Array.from({ length: 60 }, () => call('r'.repeat(200), 'o'.repeat(999))),
      said: null,
    },
  ]);
  for (const told of [0, 8, 40]) {
    expect(messageTokens(mergedExchanges(many, told))).toBeLessThanOrEqual(mergedTokens(told));
  }
});
