import type { ToolCall } from '@loom/shared/chat';
import type { ToolDefinition } from '@loom/shared/tool';
import { createToolRegistry } from '@loom/tools/registry';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { toolWants } from './call-wants.ts';

const tool = (effect: ToolDefinition['effect']): ToolDefinition => ({
  name: effect,
  description: effect,
  effect,
  timeout_ms: 1_000,
  input: z.strictObject({}),
  unavailable: () => null,
  run: async () => ({ text: '' }),
});
const call = (name: string): ToolCall => ({ id: name, name, arguments: {} });

test('every call is counted, and as mutating whatever is more than a read', () => {
  const tools = createToolRegistry([tool('read'), tool('idempotent'), tool('effectful')], {
    max_output_chars: 1_000,
  });
  const calls = ['read', 'idempotent', 'effectful', 'unknown'].map(call);
  expect(toolWants(calls, tools)).toEqual({
    model_calls: 0,
    tool_calls: 4,
    mutating_tool_calls: 2,
  });
});
