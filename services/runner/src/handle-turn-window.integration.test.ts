import { foldSessionState } from '@loom/engine/session-state/fold-session-state';
import { caller } from '@loom/runtime/test-support/runtime-world';
import type { ChatMessage } from '@loom/shared/chat';
import { emptySessionState, sessionStateSchema } from '@loom/shared/session-state';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reply, scriptedModels } from './test-support/scripted-models.ts';
import { openTurnWorld, type TurnRunner } from './test-support/turn-world.ts';

let turns: Awaited<ReturnType<typeof openTurnWorld>>;
let runner: TurnRunner;

beforeAll(async () => {
  turns = await openTurnWorld();
  runner = await turns.startRunner();
});
afterAll(async () => {
  await runner.stop();
  await turns.drop();
});

/** Says something in a session and waits for the answer; gives what the model was asked last. */
async function say(session: string, content: string, ...replies: Parameters<typeof turns.script>) {
  turns.script(...replies);
  const input = { content, if_busy: 'queue' } as const;
  const { turn_id } = (await runner.intake.acceptTurn(caller, session, input, null)).body;
  await turns.untilStatus(turn_id, 'completed');
  return turns.asked().map(({ messages }) => messages);
}

/** The second word of the system: the first is the same in every call. */
const notesOf = (messages: readonly ChatMessage[] = []) =>
  messages.filter(({ role }) => role === 'system').at(1)?.content ?? '';

test('what must always hold stays in view when the message has long left it', async () => {
  const session = await turns.newSession(runner);
  await say(session, 'Never touch prod. Let us begin.', reply('ok'));
  const filler = 'lorem ipsum '.repeat(3_000);
  for (let round = 0; round < 4; round++) await say(session, filler, reply('noted'));
  const [asked = []] = await say(session, 'As I said, be careful.', reply('yes'));
  const shown = asked.filter(({ role }) => role !== 'system');
  expect(shown.some(({ content }) => content.startsWith('Never touch prod'))).toBe(false);
  expect(notesOf(asked)).toContain('- Never touch prod. (message 1)');
  expect(notesOf(asked)).toContain('earlier messages are not shown here');
  expect(notesOf(asked)).toContain('The user refers to something earlier');
  // The beginning is the same in every call, so that a provider can keep it.
  const [next = []] = await say(session, 'Go on.', reply('yes'));
  expect(next[0]).toEqual(asked[0]);
  expect(notesOf(next)).not.toContain('The user refers to something earlier');
});

test('with everything in view nothing is said of an archive', async () => {
  const session = await turns.newSession(runner);
  const [asked] = await say(session, 'As we discussed, hello.', reply('hi'));
  expect(notesOf(asked)).not.toContain('not shown here');
  expect(notesOf(asked)).not.toContain('refers to something earlier');
});

test('an open delegation is part of every window until it ends', async () => {
  const session = await turns.newSession(runner, { approval_mode: 'disabled' });
  const call = { id: 'd', name: 'delegate_task', arguments: { goal: 'count stars', wait: false } };
  const [, after] = await say(session, 'start it', reply('', call), reply('started'));
  expect(notesOf(after)).toContain('Delegated and not finished');
  const [asked] = await say(session, 'and now?', reply('still at it'));
  expect(notesOf(asked)).toMatch(/task_\w+ \(\w+, 0 of 0 subtasks done\): count stars/);
});

test('a session whose prompt is more than its model can read says so, and asks nothing', async () => {
  const session = await turns.newSession(runner, { system_prompt: 'Be kind. '.repeat(4_000) });
  const models = scriptedModels([]);
  const [model] = models.list();
  turns.useModels({
    ...models,
    select: () => (model === undefined ? null : { ...model, context_tokens: 8_000 }),
  });
  const turn = await turns.send(runner, session);
  await turns.untilStatus(turn, 'failed');
  expect(turns.asked()).toHaveLength(0);
  const [failed] = await turns.events(session, 'turn.failed');
  expect(failed?.data).toMatchObject({ code: 'context_too_long' });
});

test('the kept state is what the archive alone gives', async () => {
  const session = await turns.newSession(runner, { approval_mode: 'disabled' });
  const put = { id: 'p', name: 'put', arguments: { what: 'x' } };
  const bad = { id: 'b', name: 'put', arguments: {} };
  await say(session, 'Always be brief.', reply('', put, bad), reply('done'));
  await say(session, 'and again', reply('done'));
  const [row] = await turns.rows<{ state: unknown }>('SELECT state FROM sessions WHERE id = $1', [
    session,
  ]);
  const state = sessionStateSchema.parse(row?.state);
  expect(state).toMatchObject({ focus: 'and again', constraints: [{ text: 'Always be brief.' }] });
  const archive = await turns.rows<ChatMessage & { number: number }>(
    `SELECT number, role, content, tool_calls, tool_call_id, failed FROM messages
      WHERE session_id = $1 AND number <= $2 ORDER BY number`,
    [session, state.upto],
  );
  const messages = archive.map(({ number, ...message }) => ({ number, message }));
  expect(foldSessionState(emptySessionState, messages)).toEqual(state);
});
