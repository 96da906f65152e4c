import type { ChatMessage } from '@loom/shared/chat';
import { expect, it } from 'vitest';
import { executeReply } from './execute-reply.ts';

const tools = new Set(['read_file', 'write_file']);

function taskPrompt(inputs: string[]) {
  const list = inputs.map((path) => `- ${path}`).join('\n');
  return `SUBTASK: write-rain\nWrite a haiku about rain to rain.md\nEND SUBTASK\n\nDELIVERABLES:\n- rain.md\n\nINPUTS:\n${list}\n`;
}

/** Plays the conversation with every call answered, and returns what was called and said. */
function play(prompt: string, offered: ReadonlySet<string>) {
  const messages: ChatMessage[] = [{ role: 'user', content: prompt }];
  const called: string[] = [];
  for (let step = 0; step < 5; step += 1) {
    const { text, calls } = executeReply({ messages, prompt, tools: offered });
    if (calls.length === 0) return { called, text, messages };
    const tool_calls = calls.map((call, index) => ({ id: `${step}-${index}`, ...call }));
    messages.push({ role: 'assistant', content: text, tool_calls });
    for (const call of tool_calls) {
      called.push(`${call.name} ${String(call.arguments.path)}`);
      const content = `# About ${String(call.arguments.path)}`;
      messages.push({ role: 'tool', content, tool_call_id: call.id });
    }
  }
  throw new Error('the demo executor does not end');
}

it('writes its deliverable and says so', () => {
  const { called, text, messages } = play(taskPrompt([]), tools);
  expect(called).toEqual(['write_file rain.md']);
  expect(text).toBe('Wrote rain.md.');
  expect(messages[1]?.tool_calls?.[0]?.arguments).toMatchObject({
    path: 'rain.md',
    content: expect.stringContaining('# Haiku about rain\n'),
  });
});

it('reads its inputs before it sums them up', () => {
  const { called, messages } = play(taskPrompt(['a.md', 'b.md']), tools);
  expect(called).toEqual(['read_file a.md', 'read_file b.md', 'write_file rain.md']);
  const write = messages.findLast(({ tool_calls }) => tool_calls)?.tool_calls?.[0];
  expect(write?.arguments).toMatchObject({
    content: expect.stringMatching(/- a\.md: About a\.md\n- b\.md: About b\.md/),
  });
});

it('answers in text when no file is asked for', () => {
  const { called, text } = play('SUBTASK: x\nThink about rain\nEND SUBTASK', tools);
  expect(called).toEqual([]);
  expect(text).toContain('Think about rain');
});

it('admits that it cannot write without the tool', () => {
  expect(play(taskPrompt([]), new Set()).text).toContain('could not write rain.md');
});

it('closes with a completion block where one is asked for', () => {
  const asked = `${taskPrompt([])}\nEnd with a block:\n\`\`\`completion\n{}\n\`\`\`\n`;
  expect(play(asked, tools).text).toBe(
    'Wrote rain.md.\n\n```completion\n{"status":"done","summary":"Wrote rain.md."}\n```',
  );
  expect(play(asked, new Set()).text).toContain('"status":"blocked"');
});
