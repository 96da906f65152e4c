import type { ChatMessage } from '@loom/shared/chat';
import { expect } from 'vitest';

/** Every call is answered, and every answer stands behind its call. */
export function checkPairs(messages: readonly ChatMessage[]): void {
  const open = new Set<string>();
  for (const { role, tool_calls, tool_call_id } of messages) {
    if (role === 'tool') expect(open.delete(tool_call_id ?? '')).toBe(true);
    else expect([...open]).toEqual([]);
    for (const { id } of tool_calls ?? []) open.add(id);
  }
  expect([...open]).toEqual([]);
}
