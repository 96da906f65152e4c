import type { LoggedEvent } from '@loom/shared/events';
import { useEffect, useRef, useState } from 'react';
import { fetchTaskLog } from '../http/task-log.ts';

/** A task's log from the beginning, read on whenever `revision` grows; many steps make one call. */
export function useTaskLog(taskId: string, revision: number): LoggedEvent[] {
  const [events, setEvents] = useState<LoggedEvent[]>([]);
  const wanted = useRef(revision);
  const wake = useRef<() => void>(() => {});

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let known: LoggedEvent[] = [];
    let isReading = false;
    const readOn = async () => {
      for (let seen = -1; seen !== wanted.current && !signal.aborted; ) {
        seen = wanted.current;
        const more = await fetchTaskLog(taskId, known.at(-1)?.seq ?? 0, signal);
        known = [...known, ...more];
        setEvents(known);
      }
    };
    wake.current = () => {
      if (isReading) return;
      isReading = true;
      // What could not be read comes with the next event, or with the next opening.
      void readOn()
        .catch(() => {})
        .finally(() => {
          isReading = false;
        });
    };
    wake.current();
    return () => controller.abort();
  }, [taskId]);

  useEffect(() => {
    wanted.current = revision;
    wake.current();
  }, [revision]);
  return events;
}
