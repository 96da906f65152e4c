import { firstLine } from '@loom/shared/text';
import { plainText } from '../plain-text.ts';
import { type StreamEvent, textOf } from '../stream-event.ts';
import type { Colors } from '../terminal.ts';

const lineWidth = 100;

/** How events are shown, by type; null for one that would only be noise. */
export type Renderers = Record<string, (event: StreamEvent, colors: Colors) => string | null>;

/** Whose event it is: a subtask's, a turn's, or the task's own. */
export function name(event: StreamEvent): string {
  const isOfTurn = event.turn_id && !event.task_id;
  return plainText(event.subtask_id ?? (isOfTurn ? 'turn' : 'task'));
}

/** The number of an attempt, when it is not the first. */
export function attempt(event: StreamEvent): string {
  return event.attempt && event.attempt > 1 ? ` (attempt ${event.attempt})` : '';
}

export function toolOf(event: StreamEvent): string {
  return plainText(textOf(event, 'tool') || textOf(event, 'name') || 'a tool');
}

/** A text of the event's data behind a colon, or nothing. */
export function detail(event: StreamEvent, key: string, colors: Colors): string {
  const text = short(textOf(event, key));
  return text === '' ? '' : colors.dim(`: ${text}`);
}

/** The first line of a text, bounded. */
export function short(text: string): string {
  return plainText(firstLine(text, lineWidth));
}

/** A status or a code as words. */
export function words(status: string): string {
  return plainText(status.replaceAll('_', ' '));
}

/** A length of time as people say it. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
