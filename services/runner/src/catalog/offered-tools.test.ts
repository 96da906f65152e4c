import type { ChatMessage } from '@loom/shared/chat';
import { builtinTools } from '@loom/tools/builtin-tools';
import { conversationToolSpecs } from '@loom/tools/conversation-tools';
import { toToolSpec } from '@loom/tools/tool-spec';
import { expect, test } from 'vitest';
import { catalogTools } from './catalog-tools.ts';
import { offeredTools } from './offered-tools.ts';

const shell = {
  allow_unsandboxed: false,
  network: false,
  hidden_paths: [],
  sandbox: { works: true, reason: null },
};
const fetch = { timeout_ms: 1, max_bytes: 1, allow_private: false };
const own = [
  ...builtinTools({ shell, fetch }),
  ...Object.values(conversationToolSpecs),
  ...catalogTools(() => []),
].map(toToolSpec);
const strange = Array.from({ length: 60 }, (_, n) => ({
  name: `crm__op_${n}`,
  description: `Does ${n} with customers.`,
  input_schema: { type: 'object', description: 'x'.repeat(800) },
}));
const specs = [...own, ...strange];

const said = (content: string): ChatMessage[] => [{ role: 'user', content }];
const offer = (content: string, context_tokens = 128_000) =>
  offeredTools({ mode: 'hybrid', specs, messages: said(content), context_tokens });

test('the real tools fit: every call has the core and the essentials, and all is within 12 KiB', () => {
  const offered = offer('Which customers of the CRM bought the most?');
  const names = offered.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['ask_user', 'delegate_task', 'conversation_recall']),
  );
  expect(names).toEqual(
    expect.arrayContaining(['list_tools', 'run_tool', 'read_file', 'shell_execute']),
  );
  expect(names.some((name) => name.startsWith('crm__'))).toBe(true);
  expect(names.length).toBeLessThanOrEqual(18);
  expect(Buffer.byteLength(JSON.stringify(offered))).toBeLessThanOrEqual(
    12 * 1_024 + offered.length + 2,
  );
});

test('schemas are sent as they were given', () => {
  expect(offer('hi')).toEqual(
    ['conversation_recall', 'ask_user', 'delegate_task', 'list_tools', 'run_tool'].map((name) =>
      own.find((spec) => spec.name === name),
    ),
  );
});

test('full sends all', () => {
  const all = offeredTools({
    mode: 'full',
    specs,
    messages: said('hi'),
    context_tokens: 4_000,
  });
  expect(all).toHaveLength(specs.length);
});

test('a model that can read little gets fewer, and the way to all', () => {
  const bytes = (tools: readonly object[]) =>
    tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  const few = offer('Fix the failing test in src/a.ts', 6_000);
  const usual = offer('Fix the failing test in src/a.ts');
  expect(bytes(few)).toBeLessThanOrEqual(6_000);
  expect(few.length).toBeLessThan(usual.length);
  expect(few.map(({ name }) => name)).toEqual(expect.arrayContaining(['list_tools', 'run_tool']));
});
