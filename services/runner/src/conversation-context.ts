import type { JsonObject, JsonValue } from '@loom/shared/json';
import type { SessionState } from '@loom/shared/session-state';
import { cutText } from '@loom/shared/text';

/** Planner and every executor read it, so it is kept short. */
const maxBytes = 4_096;
const maxText = 400;

type Part = 'constraints' | 'decisions' | 'files';

/**
 * What a delegated task is told of the conversation it comes from, or null when there is nothing:
 * what the user wants always or never, what was decided, which files were at hand. Where it is too
 * much, files go first, then decisions, and of each the oldest.
 */
export function conversationContext(state: SessionState): JsonObject | null {
  const wanted: [Part, JsonValue][] = [
    ...newestFirst(state.constraints, ({ text }) => ['constraints', cutText(text, maxText)]),
    ...newestFirst(state.decisions, ({ text }) => ['decisions', cutText(text, maxText)]),
    ...newestFirst(state.files, ({ path, action }) => ['files', { path, action }]),
  ];
  const context: Partial<Record<Part, JsonValue[]>> = {};
  for (const [part, value] of wanted) {
    const longer = { ...context, [part]: [value, ...(context[part] ?? [])] };
    if (Buffer.byteLength(JSON.stringify(longer)) > maxBytes) break;
    Object.assign(context, longer);
  }
  return Object.keys(context).length === 0 ? null : context;
}

function newestFirst<T>(items: readonly T[], show: (item: T) => [Part, JsonValue]) {
  return items.toReversed().map(show);
}
