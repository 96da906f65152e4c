import type { ChatMessage } from '@loom/shared/chat';
import type { Discovery } from '@loom/shared/task-state';

const opening = 'DISCOVERIES OF OTHER SUBTASKS';
const heading = `${opening} (take them into account where they concern yours):`;

/**
 * Discoveries that a journal does not hold yet, as one line for it; null when there are none. As with
 * guidance, the journal itself is the record of what was heard.
 */
export function newDiscoveries(
  journal: readonly ChatMessage[],
  discoveries: readonly Discovery[],
): ChatMessage | null {
  const heard = new Set(
    journal
      .filter(({ role, content }) => role === 'user' && content.startsWith(opening))
      .flatMap(({ content }) => content.split('\n')),
  );
  const fresh = discoveries.map(toLine).filter((line) => !heard.has(line));
  if (fresh.length === 0) return null;
  return { role: 'user', content: [heading, ...fresh].join('\n') };
}

function toLine({ subtask_id, summary }: Discovery): string {
  return `- ${subtask_id}: ${summary.replaceAll(/\s+/g, ' ').trim()}`;
}
