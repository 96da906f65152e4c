import type { ChatMessage } from '@loom/shared/chat';
import { type Config, configSchema } from '@loom/shared/config';
import { expect, test } from 'vitest';
import { longJournal } from '../test-support/long-journal.ts';
import { ContextPressure, type SentBefore } from './context-pressure.ts';
import { messageTokens } from './message-tokens.ts';

const prompt: ChatMessage[] = [{ role: 'system', content: 'You work.' }];
const reminder: ChatMessage = { role: 'system', content: 'Go on.' };
const defaults = configSchema.parse({}).limits.runner;

function open(
  context_tokens: number,
  limits: Partial<Config['limits']['runner']> = {},
  before: SentBefore = { journal: [], usage: [] },
) {
  return new ContextPressure(
    {
      unit_id: 'task_1.a.1',
      prompt,
      reminder: () => [reminder],
      tools: [],
      window: { context_tokens, output_tokens: 1_000 },
      limits: { ...defaults, ...limits },
    },
    before,
  );
}

const stagesOf = (pressure: ContextPressure, journal: ChatMessage[]) =>
  pressure.news(journal).map(({ data }) => data.stages);

// 20 exchanges of about 3,300 tokens: 500 of arguments, 250 of narrative, 2,500 of output.
const journal = longJournal(20, 10_000);

test('while there is room, everything is sent as it is', () => {
  const pressure = open(200_000);
  expect(pressure.messages(journal, 100)).toEqual([...prompt, ...journal, reminder]);
  expect(pressure.news(journal)).toEqual([]);
});

test('stage after stage is taken until there is room, and it is told once', () => {
  const pressure = open(75_000);
  pressure.messages(journal, 100);
  expect(stagesOf(pressure, journal)).toEqual([['arguments', 'outputs']]);
  pressure.messages(journal, 100);
  expect(pressure.news(journal)).toEqual([]);
  const tight = open(10_000);
  const sent = tight.messages(journal, 100);
  expect(messageTokens(sent)).toBeLessThan(9_000 * 1.02);
  expect(tight.news(journal)).toEqual([
    {
      type: 'context.compacted',
      data: {
        stages: ['arguments', 'outputs', 'narrative', 'merge'],
        tokens_before: messageTokens([...prompt, ...journal, reminder]),
        tokens_after: messageTokens(sent),
        budget_tokens: 9_000,
      },
    },
  ]);
  expect(sent.slice(0, 1)).toEqual(prompt);
  expect(sent.slice(-3)).toEqual([...journal.slice(-2), reminder]);
});

test('what is sent stays the beginning of what is sent next, until there is need again', () => {
  const pressure = open(40_000);
  let before: string[] = [];
  let rewritten = 0;
  for (let length = 2; length <= journal.length; length += 2) {
    const sent = pressure.messages(journal.slice(0, length), 100).slice(0, -1);
    const lines = sent.map((message) => JSON.stringify(message));
    if (before.some((line, index) => lines[index] !== line)) rewritten += 1;
    before = lines;
  }
  expect(rewritten).toBeGreaterThan(0);
  expect(rewritten).toBeLessThan(5);
});

test('a new owner leaves out the same, and tells nothing anew', () => {
  const lines = longJournal(21, 10_000);
  const first = open(40_000);
  const usage: number[] = [];
  for (let length = 0; length < lines.length; length += 2) {
    usage.push(messageTokens(first.messages(lines.slice(0, length), 100)) * 2.5);
    first.learn(usage.at(-1) ?? 0);
  }
  const next = first.messages(lines, 100);
  const second = open(40_000, {}, { journal: lines, usage });
  expect(second.messages(lines, 100)).toEqual(next);
  expect(second.news(lines)).toEqual([]);
  expect(first.news(lines)).not.toEqual([]);
  const uncounted = open(40_000, {}, { journal: lines, usage: [] });
  expect(uncounted.messages(lines, 100)).not.toEqual(next);
});

test('the provider’s count is the measure', () => {
  const pressure = open(200_000);
  const sent = messageTokens(pressure.messages(journal, 100));
  pressure.learn(sent * 3);
  pressure.messages(journal, 100);
  expect(stagesOf(pressure, journal)).not.toEqual([]);
});

test('with little time left, the stages that rewrite most are left out', () => {
  const pressure = open(10_000);
  pressure.messages(journal, defaults.compaction_timeout_guard_seconds - 1);
  expect(stagesOf(pressure, journal)).toEqual([['arguments', 'outputs']]);
});

test('a stage that gains nothing is not applied, and after some tries not tried', () => {
  const small = longJournal(20, 10_000).map((message) =>
    message.role === 'tool' ? { ...message, content: 'x'.repeat(1_500) } : message,
  );
  const pressure = open(16_000, { compaction_no_gain_attempt_limit: 1 });
  pressure.messages(small, 100);
  expect(stagesOf(pressure, small)).toEqual([['arguments', 'narrative']]);
  const [, ...later] = journal.map((message) =>
    message.role === 'tool' ? { ...message, tool_call_id: `${message.tool_call_id}b` } : message,
  );
  pressure.messages([...small, ...later], 100);
  expect(stagesOf(pressure, [...small, ...later]).flat()).not.toContain('outputs');
});

test('legacy shortens everything but the newest exchange at once; off nothing', () => {
  const legacy = open(1_000_000, { runner_compaction_policy_mode: 'legacy' });
  const sent = legacy.messages(journal, 100);
  expect(stagesOf(legacy, journal)).toEqual([['arguments', 'outputs', 'narrative']]);
  expect(messageTokens(sent)).toBeLessThan(messageTokens(journal) / 2);
  expect(sent.slice(-3)).toEqual([...journal.slice(-2), reminder]);
  const off = open(2_000, { runner_compaction_policy_mode: 'off' });
  expect(off.messages(journal, 100)).toEqual([...prompt, ...journal, reminder]);
});

test('squeezed, old calls are next to nothing and their artifacts still named', () => {
  const off = open(2_000, { runner_compaction_policy_mode: 'off' });
  expect(off.squeeze(journal)).toBe(true);
  const sent = off.messages(journal, 100);
  const [old] = sent.filter(({ role }) => role === 'tool');
  expect(old?.content.length).toBeLessThanOrEqual(500);
  expect(old?.content).toContain('af_0');
  expect(old?.content).toContain('exit code 0');
  expect(sent.slice(-3)).toEqual([...journal.slice(-2), reminder]);
  expect(off.squeeze(journal)).toBe(false);
  expect(open(2_000).squeeze(journal.slice(0, 2))).toBe(false);
});
