import type { ChatMessage } from '@loom/shared/chat';
import type { NewEvent } from '@loom/shared/events';
import type { Guidance } from '@loom/shared/task-state';

interface HeardGuidance {
  journal: ChatMessage[];
  events: NewEvent[];
}

/**
 * Guidance that a journal does not hold yet, as lines for it and the events that acknowledge them.
 * The journal itself is the record of what was heard, so a new owner neither loses nor repeats any.
 */
export function newlyHeard(
  journal: readonly ChatMessage[],
  guidance: readonly Guidance[],
  subtaskId: string,
): HeardGuidance | null {
  const fresh = guidance.filter(
    ({ id }) =>
      !journal.some(({ role, content }) => role === 'user' && content.startsWith(opening(id))),
  );
  if (fresh.length === 0) return null;
  return {
    journal: fresh.map(({ id, guidance: text }) => ({
      role: 'user',
      content: `${opening(id)} ${text}`,
    })),
    events: fresh.map(({ id }) => ({
      type: 'task.steer_acknowledged',
      data: { receipt_id: id, subtask_id: subtaskId },
    })),
  };
}

function opening(id: string): string {
  return `GUIDANCE (receipt ${id}):`;
}
