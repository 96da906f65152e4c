import { emptySessionState, type SessionState } from '@loom/shared/session-state';
import { expect, test } from 'vitest';
import { conversationContext } from './conversation-context.ts';

const state = (fields: Partial<SessionState>): SessionState => ({
  ...emptySessionState,
  ...fields,
});
const noted = (text: string, number = 1) => ({ text, number });
const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('a conversation in which nothing is to be respected has nothing to tell', () => {
  expect(conversationContext(state({ focus: 'hello', upto: 3 }))).toBeNull();
});

test('tells constraints, decisions and files in the order in which they came up', () => {
  const context = conversationContext(
    state({
      constraints: [noted('never touch vendor/'), noted('always use tabs', 2)],
      decisions: [noted('Postgres, not MySQL')],
      files: [{ path: 'src/a.ts', action: 'edited', number: 4 }],
    }),
  );
  expect(context).toEqual({
    constraints: ['never touch vendor/', 'always use tabs'],
    decisions: ['Postgres, not MySQL'],
    files: [{ path: 'src/a.ts', action: 'edited' }],
  });
});

test('stays within 4 KB: the newest of what matters most is kept', () => {
  const context = conversationContext(
    state({
      constraints: [noted('never ä'.padEnd(9_000, 'ä')), noted('always b')],
      decisions: Array.from({ length: 30 }, (_, index) => noted(`${index} `.padEnd(300, 'd'))),
      files: [{ path: 'src/a.ts', action: 'read', number: 4 }],
    }),
  );
  expect(size(context)).toBeLessThanOrEqual(4_096);
  expect(size(context)).toBeGreaterThan(3_700);
  const { constraints, decisions, files } = context as Record<string, string[]>;
  expect(constraints?.map((text) => text.slice(0, 8))).toEqual(['never ää', 'always b']);
  expect(decisions?.at(-1)).toMatch(/^29 /);
  expect(files).toBeUndefined();
});
