import type { JsonValue } from '@loom/shared/json';
import type { ToolDefinition } from '@loom/shared/tool';
import { createToolRegistry } from '@loom/tools/registry';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, openToolWorld } from '../test-support/tool-world.ts';
import { createTurnGate } from '../turn-gate.ts';
import { catalogTools } from './catalog-tools.ts';
import { unwrapRunTool } from './run-tool.ts';

const send: ToolDefinition = {
  name: 'send',
  description: 'Send a letter.',
  effect: 'effectful',
  timeout_ms: 1_000,
  input: z.strictObject({ to: z.string() }),
  unavailable: () => null,
  run: async () => ({ text: 'sent' }),
};
const registry = createToolRegistry([send, ...catalogTools(() => [])], { max_output_chars: 1_000 });
const wrapped = (id: string, name: string, args: JsonValue = { name: id }) =>
  call(id, 'run_tool', { name, arguments: args });

test('a call through run_tool is made, answered and written down as its target', async () => {
  const world = openToolWorld();
  await world.run([wrapped('a', 'send')].map(unwrapRunTool));
  expect(world.log).toEqual([
    'commit k/a=intent 0 messages',
    'send a begins',
    'send a ends',
    'commit k/a=done 1 messages',
  ]);
  const last = world.records.at(-1);
  expect(last?.ledger[0]).toMatchObject({
    tool: 'send',
    effect: 'effectful',
    arguments: { name: 'a' },
  });
  expect(last?.messages[0]).toMatchObject({ tool_call_id: 'a', content: 'a by k/a' });
  expect(last?.spent).toMatchObject({ tool_calls: 1, mutating_tool_calls: 1 });
});

test('one that was begun before a crash is in doubt, and not made again', async () => {
  const world = openToolWorld();
  await world.run([wrapped('a', 'send')].map(unwrapRunTool), { openIntents: new Set(['k/a']) });
  expect(world.log).toEqual(['commit k/a=in_doubt 1 messages']);
});

test('arguments are those of the target, and an unknown target is answered', async () => {
  const world = openToolWorld();
  await world.run([wrapped('a', 'put', { nom: 'x' }), wrapped('b', 'nothing')].map(unwrapRunTool));
  const [invalid, unknown] = world.records.flatMap(({ messages }) => messages);
  expect(invalid?.content).toContain('The arguments of put are invalid');
  expect(unknown?.content).toContain('There is no tool "nothing" here');
  expect(world.log.filter((line) => line.startsWith('put'))).toEqual([]);
});

test('a person is asked about the target, and the freedom of run_tool frees nothing', () => {
  const gateOf = (granted_tools: string[]) =>
    createTurnGate({
      brief: { approval_mode: 'manual', granted_tools },
      approvals: [],
      on_timeout: 'deny',
      tools: registry,
      openIntents: new Set(),
    });
  const sending = unwrapRunTool(wrapped('a', 'send', { to: 'Anna' }));
  expect(gateOf(['run_tool']).questionsFor([sending])).toMatchObject([
    { tool: 'send', call_key: 'k/a', arguments: { to: 'Anna' } },
  ]);
  expect(gateOf(['send']).questionsFor([sending])).toEqual([]);
});

test.each([
  [{ name: 'run_tool', arguments: { name: 'put', arguments: {} } }, 'run_tool cannot run itself'],
  [{ name: 'put', path: 'a' }, 'put "path" into "arguments"'],
  [{}, '"name" must be the name of a tool'],
  ['put', 'they are not a JSON object'],
])('%j stays, and its own check answers it', (args, words) => {
  const pending = call('a', 'run_tool', args);
  expect(unwrapRunTool(pending)).toBe(pending);
  const problem = registry.check('run_tool', args);
  expect(problem).toMatchObject({ ok: false, error_code: 'invalid_arguments' });
  expect(problem?.text).toContain(words);
  expect(problem?.text).toContain('{"name": string, "arguments": object}');
});

test('what can be unwrapped is what the check of run_tool lets pass', () => {
  const values: JsonValue[] = [
    undefined as never,
    null,
    '',
    '{}',
    'x',
    1,
    [],
    {},
    { a: 1 },
    'run_tool',
    'put',
  ];
  for (const name of values) {
    for (const args of values) {
      const input = JSON.parse(JSON.stringify({ name, arguments: args }));
      const pending = call('a', 'run_tool', input);
      const passes = registry.check('run_tool', input) === null;
      expect({ input, passes }).toEqual({ input, passes: unwrapRunTool(pending) !== pending });
    }
  }
});

test('a model is shown both arguments', () => {
  const [spec] = registry.specs(['run_tool']);
  expect(spec?.input_schema).toMatchObject({ type: 'object', required: ['name', 'arguments'] });
});

test('other calls are left as they are', () => {
  const pending = call('a', 'put');
  expect(unwrapRunTool(pending)).toBe(pending);
});
