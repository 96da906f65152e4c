import { useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { cancelTurn, type IfBusy } from '../http/gateway.ts';
import { activeTurnId } from '../state/conversation-state.ts';
import { pastPart } from '../state/shown-part.ts';
import { layOutTranscript } from '../state/transcript.ts';
import { openAddress } from '../state/use-address.ts';
import { useConversation } from '../state/use-conversation.ts';
import { useHistoryPage } from '../state/use-history-page.ts';
import { useStickToBottom } from '../state/use-stick-to-bottom.ts';
import { useTodos } from '../state/use-todos.ts';
import { Composer } from './composer.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { DownIcon, Spinner } from './icons.tsx';
import { LoadMessages } from './load-messages.tsx';
import { TodoList } from './todo-list.tsx';
import { Transcript } from './transcript.tsx';

interface ConversationProps {
  sessionId: string;
  /** Number of a message to show instead of the end. */
  focus: number | null;
}

/** One session: what was said, what is being done, and where to say more. */
export function Conversation({ sessionId, focus }: ConversationProps) {
  const conversation = useConversation(sessionId);
  const { state, session, error, isConnected, addMessages } = conversation;
  const oldest = state.messages[0]?.number;
  const past = useHistoryPage(
    sessionId,
    focus !== null && oldest !== undefined && focus < oldest ? focus : null,
  );
  const isPast = past.messages.length > 0;
  const { scroller, content, isAtEnd, toEnd, release, holdPosition } = useStickToBottom(!isPast);
  const [draft, setDraft] = useState('');
  const shown = useMemo(
    () => (past.messages.length > 0 ? pastPart(state, past.messages) : state),
    [state, past.messages],
  );
  const items = useMemo(() => layOutTranscript(shown), [shown]);

  // Whoever leaves the past, by whichever way, comes to the end.
  useLayoutEffect(() => {
    if (focus === null && !isPast) toEnd();
  }, [focus, isPast, toEnd]);

  // Grown until it meets what is loaded, the part is one with the end.
  const newest = past.messages.at(-1)?.number;
  useEffect(() => {
    if (newest !== undefined && oldest !== undefined && newest >= oldest - 1)
      addMessages(past.messages);
  }, [newest, oldest, past.messages, addMessages]);

  const activeId = activeTurnId(state);
  const todos = useTodos(sessionId, activeId, state.messages);
  const activeStatus = activeId === null ? null : state.turns[activeId]?.status;
  const asksUser = activeStatus === 'awaiting_user';
  const isClosed = session?.status === 'ended' || session === null;
  const backToEnd = () => {
    if (focus === null) toEnd();
    else openAddress({ session_id: sessionId });
  };
  const send = async (text: string, ifBusy?: IfBusy) => {
    await conversation.send(text, ifBusy);
    backToEnd();
  };
  const older = isPast ? past : conversation;

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
          {older.hasOlder && (
            <LoadMessages
              testId="older-messages"
              label="Show earlier messages"
              onLoad={async () => {
                holdPosition();
                await older.loadOlder();
              }}
            />
          )}
          <Transcript
            items={items}
            state={shown}
            focus={focus}
            onFocus={release}
            onTaskNeeded={conversation.refreshTask}
            onApproval={conversation.addApproval}
            onAnswer={asksUser ? send : undefined}
          />
          {isPast && (
            <LoadMessages
              testId="newer-messages"
              label="Show later messages"
              onLoad={past.loadNewer}
            />
          )}
        </div>
      </div>
      <div className="pointer-events-none relative z-10 -mt-6 h-6 shrink-0 bg-linear-to-t from-canvas to-transparent" />
      <div className="mx-auto w-full max-w-3xl shrink-0 px-4 pb-[max(1rem,env(safe-area-inset-bottom))] md:px-6">
        <div className="relative">
          {(!isAtEnd || isPast) && (
            <button
              type="button"
              onClick={backToEnd}
              data-testid="back-to-end"
              aria-label="Go to the latest message"
              className={`appear absolute -top-12 left-1/2 flex h-9 -translate-x-1/2 items-center gap-2 rounded-full border border-line-strong bg-surface text-soft shadow-md hover:text-ink ${isPast ? 'px-4 text-sm' : 'px-2.5'}`}
            >
              {isPast && 'Back to the end'}
              <DownIcon />
            </button>
          )}
          {past.error !== null && (
            <p role="alert" className="mb-2 px-1 text-bad text-sm">
              {past.error}
            </p>
          )}
          {session !== null && (error !== null || !isConnected) && (
            <p role="status" className="mb-2 flex items-center gap-2 px-1 text-sm text-warn">
              {error === null && <Spinner className="size-3.5" />}
              {error ?? 'The connection is lost. Trying again…'}
            </p>
          )}
          <TodoList todos={todos} />
          <Composer
            draft={draft}
            onDraft={setDraft}
            onSend={send}
            onStop={async () => {
              if (activeId !== null) await cancelTurn(sessionId, activeId);
            }}
            placeholder={placeholderFor(session?.status === 'ended', activeStatus)}
            mode={isClosed ? 'closed' : activeId !== null && !asksUser ? 'busy' : 'ready'}
          />
        </div>
      </div>
    </main>
  );
}

function placeholderFor(isEnded: boolean, activeStatus: string | null | undefined): string {
  if (isEnded) return 'This session has ended. Begin a new one to go on.';
  if (activeStatus === 'awaiting_user') return 'Answer the question…';
  if (activeStatus === 'awaiting_approval') return 'It waits for your approval above…';
  return 'Reply, or hand over more work…';
}
