import { useMemo, useState } from 'react';
import { cancelTurn } from '../http/gateway.ts';
import { activeTurnId } from '../state/conversation-state.ts';
import { layOutTranscript } from '../state/transcript.ts';
import { useConversation } from '../state/use-conversation.ts';
import { useStickToBottom } from '../state/use-stick-to-bottom.ts';
import { Composer } from './composer.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { DownIcon, Spinner } from './icons.tsx';
import { OlderMessages } from './older-messages.tsx';
import { TranscriptEntry } from './transcript-entry.tsx';

/** One session: what was said, what is being done, and where to say more. */
export function Conversation({ sessionId }: { sessionId: string }) {
  const conversation = useConversation(sessionId);
  const { state, session, error, isConnected } = conversation;
  const { scroller, content, isAtEnd, toEnd, holdPosition } = useStickToBottom();
  const [draft, setDraft] = useState('');
  const items = useMemo(() => layOutTranscript(state), [state]);
  const lastTask = items.findLast((item) => item.kind === 'task')?.key;

  const activeId = activeTurnId(state);
  const activeStatus = activeId === null ? null : state.turns[activeId]?.status;
  const asksUser = activeStatus === 'awaiting_user';
  const isClosed = session?.status === 'ended' || session === null;
  const send = async (text: string) => {
    await conversation.send(text);
    toEnd();
  };

  return (
    <main className="relative flex min-h-0 flex-1 flex-col">
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div ref={content} className="mx-auto w-full max-w-3xl px-4 pt-4 pb-8 md:px-6">
          {session === null && error !== null && (
            <div className="grid place-items-center pt-[25vh]">
              <ErrorPanel message={error} onRetry={conversation.retry} />
            </div>
          )}
          {session === null && error === null && (
            <p className="appear-late flex items-center gap-2 text-faint text-sm">
              <Spinner /> Loading the conversation…
            </p>
          )}
          {conversation.hasOlder && (
            <OlderMessages
              onLoad={async () => {
                holdPosition();
                await conversation.loadOlder();
              }}
            />
          )}
          <div role="log" aria-label="Conversation" aria-live="polite" className="space-y-5">
            {items.map((item) => (
              <TranscriptEntry
                key={item.key}
                item={item}
                task={item.kind === 'task' ? state.tasks[item.task_id] : undefined}
                isNewestTask={item.key === lastTask}
                onTaskNeeded={conversation.refreshTask}
                onAnswer={asksUser ? send : undefined}
              />
            ))}
          </div>
        </div>
      </div>
      <div className="pointer-events-none relative z-10 -mt-6 h-6 shrink-0 bg-linear-to-t from-canvas to-transparent" />
      <div className="mx-auto w-full max-w-3xl shrink-0 px-4 pb-[max(1rem,env(safe-area-inset-bottom))] md:px-6">
        <div className="relative">
          {!isAtEnd && (
            <button
              type="button"
              onClick={toEnd}
              aria-label="Go to the latest message"
              className="appear absolute -top-12 left-1/2 -ml-4.5 grid size-9 place-items-center rounded-full border border-line-strong bg-surface text-soft shadow-md hover:text-ink"
            >
              <DownIcon />
            </button>
          )}
          {session !== null && (error !== null || !isConnected) && (
            <p role="status" className="mb-2 flex items-center gap-2 px-1 text-sm text-warn">
              {error === null && <Spinner className="size-3.5" />}
              {error ?? 'The connection is lost. Trying again…'}
            </p>
          )}
          <Composer
            draft={draft}
            onDraft={setDraft}
            onSend={send}
            onStop={async () => {
              if (activeId !== null) await cancelTurn(sessionId, activeId);
            }}
            placeholder={
              session?.status === 'ended'
                ? 'This session has ended. Begin a new one to go on.'
                : asksUser
                  ? 'Answer the question…'
                  : 'Reply, or hand over more work…'
            }
            mode={isClosed ? 'closed' : activeId !== null && !asksUser ? 'busy' : 'ready'}
          />
        </div>
      </div>
    </main>
  );
}
