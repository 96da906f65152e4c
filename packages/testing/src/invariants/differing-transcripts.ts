import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '@loom/shared/app-error';
import type { TestDatabase } from '../test-database.ts';
import type { Transcript } from '../transcript.ts';

interface LogRow {
  seq: number;
  type: string;
  at: Date;
  subtask_id: string | null;
  attempt: number | null;
  data: Record<string, unknown>;
}

/** (d) What every stream told its client equals the log, event by event. */
export async function differingTranscripts(
  database: TestDatabase,
  transcripts: readonly Transcript[],
): Promise<string[]> {
  const results = await Promise.all(
    transcripts.map((transcript) => difference(database, transcript)),
  );
  return results.filter((line) => line !== null);
}

async function difference(database: TestDatabase, transcript: Transcript): Promise<string | null> {
  const { kind, id } = transcript.stream;
  const log = await database.rows<LogRow>(
    `SELECT seq, type, at, subtask_id, attempt, data
     FROM ${kind === 'task' ? 'events' : 'session_events'} WHERE ${kind}_id = $1 ORDER BY seq`,
    [id],
  );
  try {
    await transcript.reached(log.at(-1)?.seq ?? 0);
  } catch (error) {
    return `transcript of ${errorMessage(error)}`;
  }
  const told = transcript.events.map((event) => ({
    seq: event.seq,
    type: event.type,
    at: event.at,
    subtask_id: event.subtask_id ?? null,
    attempt: event.attempt ?? null,
    data: event.data,
  }));
  const stored = log.map((row) => ({ ...row, at: row.at.toISOString() }));
  const place = Array.from({ length: Math.max(told.length, stored.length) }).findIndex(
    (_, index) => !isDeepStrictEqual(told[index], stored[index]),
  );
  if (place === -1) return null;
  return `transcript of ${id} differs at place ${place + 1}: told ${JSON.stringify(told[place])}, stored ${JSON.stringify(stored[place])}`;
}
