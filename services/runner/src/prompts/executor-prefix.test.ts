import { createHash } from 'node:crypto';
import type { ChatMessage } from '@loom/shared/chat';
import { configSchema } from '@loom/shared/config';
import { planSubtaskSchema } from '@loom/shared/plan';
import { emptyTrail } from '@loom/shared/task-course';
import { recordDiscoveryTool } from '@loom/tools/record-discovery';
import { createToolRegistry } from '@loom/tools/registry';
import { writeFileTool } from '@loom/tools/write-file';
import { expect, test } from 'vitest';
import { executorCallsOf } from '../pressure/executor-calls-of.ts';
import { attemptBrief } from '../test-support/attempt-brief.ts';
import { reply, scriptedModels } from '../test-support/scripted-models.ts';
import { executorPrompt } from './executor.ts';

const task = {
  goal: 'Compare A and B',
  context: { tone: 'dry' },
  workspace: '/w',
  read_roots: ['/data'],
};
const spec = (id: string) =>
  planSubtaskSchema.parse({ id, description: `Write ${id}`, deliverables: [`${id}.md`] });
const tools = createToolRegistry([writeFileTool, recordDiscoveryTool] as never, {
  max_output_chars: 1_000,
});

const fingerprint = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Everything that was sent for the calls of an attempt, as a provider would key it. */
async function sent(journal: ChatMessage[]) {
  const models = scriptedModels(Array.from({ length: journal.length + 1 }, () => reply('x')));
  const calls = executorCallsOf(
    { models, config: configSchema.parse({}), tools },
    {
      unit: { unit_id: 'task_1.a.1', epoch: 1 },
      brief: attemptBrief({ task, spec: spec('a') }),
      before: { journal: [], usage: [] },
      allowed: new Set(['record_discovery', 'write_file']),
    },
  );
  const given = { signal: new AbortController().signal, secondsLeft: 100 };
  for (let length = 0; length <= journal.length; length++) {
    await calls.ask(journal.slice(0, length), given);
  }
  return models.asked;
}

const journal: ChatMessage[] = Array.from({ length: 6 }, (_, index) => [
  {
    role: 'assistant' as const,
    content: `step ${index}`,
    tool_calls: [{ id: `${index}`, name: 'write_file', arguments: { path: 'a.md' } }],
  },
  { role: 'tool' as const, content: 'ok', tool_call_id: `${index}`, tool_name: 'write_file' },
]).flat();

test('from call to call, what was sent before is the beginning of what is sent next', async () => {
  const asked = await sent(journal);
  for (const [index, { messages, tools: specs }] of asked.entries()) {
    // The reminder is the last message of each call but the first, and of that call alone.
    const own = index === 0 ? messages : messages.slice(0, -1);
    const next = asked[index + 1];
    if (next === undefined) break;
    expect(fingerprint(next.messages.slice(0, own.length))).toBe(fingerprint(own));
    expect(fingerprint(next.tools)).toBe(fingerprint(specs));
  }
  expect(asked.at(-1)?.messages.at(-1)?.content).toContain('Goal of the task');
  expect(asked.at(-1)?.messages).toHaveLength(2 + journal.length + 1);
});

test('subtasks of a task share everything up to the subtask itself', () => {
  const first = executorPrompt(attemptBrief({ task, spec: spec('a') }), 'enforce');
  const second = executorPrompt(
    attemptBrief({
      task,
      spec: spec('b'),
      feedback: 'wrong',
      trail: { ...emptyTrail, confirmations: 1 },
      memory: [{ type: 'decision', summary: 'x', subtask_id: 'a' }],
    }),
    'enforce',
  );
  const shared = (messages: ChatMessage[]) => {
    const whole = JSON.stringify(messages);
    return whole.slice(0, whole.indexOf('SUBTASK:'));
  };
  expect(fingerprint(shared(second))).toBe(fingerprint(shared(first)));
  expect(shared(first)).toContain('/data');
  expect(shared(first)).toContain('dry');
});

test('what is said to all executors does not depend on the task', () => {
  const [role] = executorPrompt(attemptBrief({ task }), 'warn');
  const [other] = executorPrompt(attemptBrief({ spec: spec('z') }), 'warn');
  expect(fingerprint(other)).toBe(fingerprint(role));
});

test('schemas are sent once, as tools and never as text', async () => {
  const [request] = await sent([]);
  expect(request?.tools?.map(({ name }) => name)).toEqual(['record_discovery', 'write_file']);
  const text = JSON.stringify(request?.messages);
  expect(text).not.toContain('write_file');
  expect(text).not.toContain('properties');
});
