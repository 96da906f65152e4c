import type { Message } from '@loom/shared/api';
import { errorMessage } from '@loom/shared/app-error';
import { useCallback, useEffect, useState } from 'react';
import { fetchMessagesBefore, fetchMessagesFrom } from '../http/gateway.ts';

const shownBefore = 20;

/** A part of the archive around one message, away from the end; grows in both directions. */
export function useHistoryPage(sessionId: string, number: number | null) {
  const [messages, setMessages] = useState<Message[]>([]);
  const [error, setError] = useState<string | null>(null);
  const isHere = messages.some((message) => message.number === number);

  useEffect(() => {
    if (number === null) return setMessages([]);
    if (isHere) return;
    const controller = new AbortController();
    setError(null);
    fetchMessagesFrom(sessionId, number - shownBefore, controller.signal).then(
      (page) => setMessages(page),
      (cause: unknown) => {
        if (!controller.signal.aborted) setError(errorMessage(cause));
      },
    );
    return () => controller.abort();
  }, [sessionId, number, isHere]);

  const first = messages[0]?.number ?? 1;
  const last = messages.at(-1)?.number ?? 0;
  return {
    messages,
    error,
    hasOlder: first > 1,
    loadOlder: useCallback(async () => {
      const page = await fetchMessagesBefore(sessionId, first);
      setMessages((known) => [...page, ...known]);
    }, [sessionId, first]),
    loadNewer: useCallback(async () => {
      const page = await fetchMessagesFrom(sessionId, last + 1);
      setMessages((known) => [...known, ...page]);
    }, [sessionId, last]),
  };
}
