import type { ChatMessage, ModelRole } from '@loom/shared/chat';
import { expect, it } from 'vitest';
import { demoProvider } from './demo-provider.ts';

function ask(role: ModelRole, messages: ChatMessage[], on_delta?: (text: string) => void) {
  const tools = ['delegate_task', 'write_file'].map((name) => ({
    name,
    description: '',
    input_schema: {},
  }));
  return demoProvider({ role, messages, tools, signal: AbortSignal.timeout(5_000), on_delta });
}

it('streams its text in several pieces that make the whole', async () => {
  const pieces: string[] = [];
  const reply = await ask('cowork', [{ role: 'user', content: 'Hello' }], (text) => {
    pieces.push(text);
  });
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.join('')).toBe(reply.text);
});

it('plans the goal in the prompt and nothing around it', async () => {
  const content = 'You plan, and list steps.\nGOAL:\nWrite a poem\nEND GOAL\nBe brief and exact.';
  const { text } = await ask('planner', [{ role: 'user', content }]);
  expect(text).toContain('"poem"');
  expect(text).not.toContain('summary');
});

it('finds blocks in the system message too', async () => {
  const content = 'SUBTASK:\nWrite x\nEND SUBTASK\nDELIVERABLES:\n- x.md\n';
  const { tool_calls } = await ask('executor', [{ role: 'system', content }]);
  expect(tool_calls).toMatchObject([{ id: 'demo-1', arguments: { path: 'x.md' } }]);
});

it('numbers its calls through the conversation', async () => {
  const call = { id: 'demo-1', name: 'delegate_task', arguments: {} };
  const { tool_calls } = await ask('cowork', [
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'user', content: 'Write a poem' },
  ]);
  expect(tool_calls[0]?.id).toBe('demo-2');
});

it('extracts nothing and verifies by reading', async () => {
  expect((await ask('extractor', [])).text).toBe('{"entries": []}');
  const content = 'REQUIREMENT:\nrain\nEND REQUIREMENT\nFILE: a\nrain\nEND FILE';
  expect((await ask('verifier', [{ role: 'user', content }])).text).toContain('"outcome":"pass"');
});
