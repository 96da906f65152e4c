import type { Message } from '@loom/shared/api';
import { AppError, errorMessage } from '@loom/shared/app-error';
import type { Approval } from '@loom/shared/approval';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { followEvents } from '../http/follow-events.ts';
import {
  fetchApproval,
  fetchMessage,
  fetchMessagesBefore,
  type IfBusy,
  type SessionWithCursor,
  sendTurn,
} from '../http/gateway.ts';
import type { StreamEvent } from '../http/stream-event.ts';
import { emptyConversation, reduceConversation } from './conversation-state.ts';
import { loadConversation } from './load-conversation.ts';
import { createTaskRefresher } from './task-refresher.ts';
import { changesTask } from './task-view.ts';

const reloadPauseMs = 2_000;

/** Loads one session's conversation and keeps it true to the gateway's stream. */
export function useConversation(sessionId: string) {
  const [state, dispatch] = useReducer(reduceConversation, emptyConversation);
  const [session, setSession] = useState<SessionWithCursor | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isConnected, setConnected] = useState(true);
  const [generation, setGeneration] = useState(0);
  const refreshTask = useRef<(taskId: string) => void>(() => {});
  const queries = useQueryClient();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new generation means "load again"
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const forgetFiles = (taskId: string) =>
      void queries.invalidateQueries({ queryKey: ['task-files', taskId] });
    refreshTask.current = createTaskRefresher((task) => {
      dispatch({ kind: 'task_loaded', task });
      forgetFiles(task.id);
    }, signal);

    const onEvent = (event: StreamEvent) => {
      if (event.type === 'stream.reset') return setGeneration((current) => current + 1);
      dispatch({ kind: 'event', event });
      if (event.task_id !== undefined && changesTask(event)) refreshTask.current(event.task_id);
      if (event.type === 'message.appended' && event.data.truncated === true)
        void loadWhole(Number(event.data.number));
      if (/^(turn\.(completed|failed|cancelled)|session\.end)$/.test(event.type))
        void queries.invalidateQueries({ queryKey: ['sessions'] });
      if (event.type === 'files.reverted' && event.task_id !== undefined)
        forgetFiles(event.task_id);
      if (event.type === 'approval.requested') void loadApproval(String(event.data.approval_id));
      if (event.type === 'session.end') setGeneration((current) => current + 1);
    };
    const loadWhole = async (number: number) => {
      const messages = await fetchMessage(sessionId, number, signal).catch(() => []);
      if (!signal.aborted) dispatch({ kind: 'messages_loaded', messages });
    };
    const loadApproval = async (id: string) => {
      try {
        const approval = await fetchApproval(id, signal);
        dispatch({ kind: 'approval_loaded', approval });
      } catch {
        // Work waits for this answer: a question that could not be read is looked for again.
        if (!signal.aborted) setGeneration((current) => current + 1);
      }
    };

    const run = async () => {
      const loaded = await loadConversation(sessionId, signal);
      setError(null);
      setSession(loaded.session);
      dispatch({ kind: 'loaded', ...loaded });
      // A session that was begun elsewhere is missing from the list that this page knows.
      void queries.invalidateQueries({ queryKey: ['sessions'] });
      if (loaded.session.status === 'ended') return;
      await followEvents({
        url: `/api/sessions/${sessionId}/events`,
        after: String(loaded.session.last_seq ?? 0),
        signal,
        on_event: onEvent,
        on_link: setConnected,
      });
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    run().catch((cause: unknown) => {
      if (signal.aborted) return;
      if (cause instanceof AppError && cause.retryable)
        timer = setTimeout(() => setGeneration((current) => current + 1), reloadPauseMs);
      if (cause instanceof AppError && cause.code === 'unauthenticated')
        void queries.invalidateQueries({ queryKey: ['me'] });
      setError(errorMessage(cause));
    });
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [sessionId, generation, queries]);

  const send = useCallback(
    async (content: string, ifBusy: IfBusy = 'queue') => {
      const accepted = await sendTurn(sessionId, content, ifBusy);
      const at = new Date().toISOString();
      dispatch({ kind: 'turn_accepted', ...accepted, content, at });
    },
    [sessionId],
  );

  const oldest = state.messages[0]?.number ?? 1;
  const loadOlder = useCallback(async () => {
    const messages = await fetchMessagesBefore(sessionId, oldest);
    dispatch({ kind: 'messages_loaded', messages });
  }, [sessionId, oldest]);

  return {
    state,
    session,
    error,
    isConnected,
    hasOlder: oldest > 1,
    loadOlder,
    send,
    addMessages: useCallback(
      (messages: Message[]) => dispatch({ kind: 'messages_loaded', messages }),
      [],
    ),
    addApproval: useCallback(
      (approval: Approval) => dispatch({ kind: 'approval_loaded', approval }),
      [],
    ),
    retry: useCallback(() => setGeneration((current) => current + 1), []),
    refreshTask: useCallback((taskId: string) => refreshTask.current(taskId), []),
  };
}
