import type { Approval } from '@loom/shared/approval';
import { useLayoutEffect, useRef } from 'react';
import type { ConversationState } from '../state/conversation-state.ts';
import { itemOfMessage } from '../state/shown-part.ts';
import type { TranscriptItem } from '../state/transcript.ts';
import { TranscriptEntry } from './transcript-entry.tsx';

interface TranscriptProps {
  items: TranscriptItem[];
  state: ConversationState;
  /** Number of the message that was looked for. */
  focus: number | null;
  /** Called before the message that was looked for is brought into view. */
  onFocus: () => void;
  onTaskNeeded: (taskId: string) => void;
  onApproval: (approval: Approval) => void;
  onAnswer: ((text: string) => Promise<void>) | undefined;
}

/** Everything that was said and done, in reading order; what was looked for is marked. */
export function Transcript({ items, state, focus, onFocus, ...handlers }: TranscriptProps) {
  const focused = useRef<HTMLDivElement>(null);
  const lastTask = items.findLast((item) => item.kind === 'task')?.key;
  const focusKey = itemOfMessage(items, focus);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another message in the same place counts too
  useLayoutEffect(() => {
    if (focusKey === null) return;
    onFocus();
    focused.current?.scrollIntoView({ block: 'center' });
  }, [focusKey, focus, onFocus]);
  return (
    <div role="log" aria-label="Conversation" aria-live="polite" className="space-y-5">
      {items.map((item) => (
        <div
          key={item.key}
          ref={item.key === focusKey ? focused : undefined}
          data-kind={item.kind}
          data-testid={item.key === focusKey ? 'focused' : undefined}
          aria-current={item.key === focusKey ? 'true' : undefined}
          className="rounded-lg has-[+[data-kind=tool]]:data-[kind=approval]:mb-1 has-[+[data-kind=tool]]:data-[kind=tool]:mb-0 aria-[current]:bg-accent-soft aria-[current]:outline-8 aria-[current]:outline-accent-soft"
        >
          <TranscriptEntry
            item={item}
            task={item.kind === 'task' ? state.tasks[item.task_id] : undefined}
            taskApprovals={item.kind === 'task' ? approvalsOf(state, item.task_id) : []}
            isNewestTask={item.key === lastTask}
            isFocused={item.key === focusKey}
            {...handlers}
          />
        </div>
      ))}
    </div>
  );
}

function approvalsOf({ approvals }: ConversationState, taskId: string): Approval[] {
  return Object.values(approvals)
    .filter((approval) => approval.task_id === taskId)
    .sort((a, b) => a.requested_at.localeCompare(b.requested_at));
}
