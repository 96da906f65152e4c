import type { LoggedEvent } from '@loom/shared/events';
import type { Page } from './gateway.ts';
import { request } from './request.ts';

const pageSize = 200;

/** Everything in a task's log after a number. */
export async function fetchTaskLog(
  taskId: string,
  after: number,
  signal: AbortSignal,
): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for (let cursor: string | null = String(after); cursor !== null; ) {
    const path: string = `/api/tasks/${taskId}/events?after=${cursor}&limit=${pageSize}`;
    const page: Page<LoggedEvent> = await request('GET', path, { signal });
    events.push(...page.items);
    cursor = page.next_cursor;
  }
  return events;
}

export const steerTask = (taskId: string, guidance: string) =>
  request<{ receipt_id: string }>('POST', `/api/tasks/${taskId}/steer`, { body: { guidance } });
