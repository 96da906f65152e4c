import { AppError } from '@loom/shared/app-error';
import { configSchema } from '@loom/shared/config';
import { expect, test } from 'vitest';
import { longJournal } from '../test-support/long-journal.ts';
import { reply, scriptedModels } from '../test-support/scripted-models.ts';
import { ExecutorCalls } from './executor-calls.ts';
import { messageTokens } from './message-tokens.ts';

const tooLong = () => new AppError('context_too_long', 'prompt is too long');
const journal = longJournal(3, 8_000);
const given = { signal: new AbortController().signal, secondsLeft: 100 };

function open(replies: Parameters<typeof scriptedModels>[0], runner: object = {}) {
  const models = scriptedModels(replies);
  const calls = new ExecutorCalls({
    models,
    config: configSchema.parse({ limits: { runner } }),
    unit_id: 'task_1.a.1',
    tier: 1,
    tools: [],
    prompt: [{ role: 'system', content: 'You work.' }],
    reminder: () => [],
    before: { journal: [], usage: [] },
  });
  return { calls, asked: models.asked };
}

test('what is too long is sent once more, with all old calls cut down', async () => {
  const { calls, asked } = open([tooLong(), reply('fine')]);
  const { events } = await calls.ask(journal, given);
  const [whole, squeezed] = asked.map(({ messages }) => messages);
  expect(whole).toEqual([{ role: 'system', content: 'You work.' }, ...journal]);
  expect(messageTokens(squeezed ?? [])).toBeLessThan(messageTokens(whole ?? []) / 2);
  expect(squeezed?.slice(-2)).toEqual(journal.slice(-2));
  expect(events).toMatchObject([{ type: 'context.compacted', data: { stages: ['overflow'] } }]);
});

test('what stays too long is a failure with its own code', async () => {
  const { calls, asked } = open([tooLong(), tooLong(), reply('never')]);
  await expect(calls.ask(journal, given)).rejects.toMatchObject({ code: 'context_too_long' });
  expect(asked).toHaveLength(2);
});

test('each step has its own second try, as long as there is something to cut', async () => {
  const { calls, asked } = open([tooLong(), reply('fine'), tooLong()]);
  await calls.ask(journal, given);
  await expect(calls.ask(journal, given)).rejects.toMatchObject({ code: 'context_too_long' });
  expect(asked).toHaveLength(3);
});

test('other failures, and an operator who wants none, get no second try', async () => {
  const refused = open([new AppError('model_rejected', 'no'), reply('never')]);
  await expect(refused.calls.ask(journal, given)).rejects.toMatchObject({ code: 'model_rejected' });
  expect(refused.asked).toHaveLength(1);
  const off = open([tooLong(), reply('never')], { enable_model_overflow_fallback: false });
  await expect(off.calls.ask(journal, given)).rejects.toMatchObject({ code: 'context_too_long' });
  expect(off.asked).toHaveLength(1);
});
