/** An event of a session's stream. The list of types is open: unknown ones are passed on. */
export interface StreamEvent {
  type: string;
  at: string;
  turn_id?: string;
  task_id?: string;
  subtask_id?: string;
  attempt?: number;
  data: Record<string, unknown>;
}

/** Reads one server-sent event; null for anything that is not an event object. */
export function readStreamEvent(type: string | undefined, json: string): StreamEvent | null {
  try {
    const value = JSON.parse(json) as Partial<StreamEvent> | null;
    const name = value?.type ?? type;
    if (value === null || typeof value !== 'object' || name === undefined) return null;
    return { ...value, type: name, at: value.at ?? '', data: value.data ?? {} };
  } catch {
    return null;
  }
}
