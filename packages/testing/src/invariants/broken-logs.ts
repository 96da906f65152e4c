import { terminalTaskEvents } from '@loom/shared/events';
import type { TestDatabase } from '../test-database.ts';

/** (c) Logs are 1..n without holes; a task's last event is its end, and no end is followed by work. */
export async function brokenLogs(database: TestDatabase): Promise<string[]> {
  return [...(await holes(database)), ...(await wrongEnds(database))];
}

async function holes(database: TestDatabase): Promise<string[]> {
  const rows = await database.rows<{ line: string }>(`
    WITH logs AS (
      SELECT 'task' AS kind, id, last_seq AS last,
        (SELECT array_agg(seq ORDER BY seq) FROM events WHERE task_id = tasks.id) AS found FROM tasks
      UNION ALL
      SELECT 'session', id, last_seq,
        (SELECT array_agg(seq ORDER BY seq) FROM session_events WHERE session_id = sessions.id)
      FROM sessions
      UNION ALL
      SELECT 'messages of session', id, last_message_number,
        (SELECT array_agg(number::bigint ORDER BY number) FROM messages WHERE session_id = sessions.id)
      FROM sessions)
    SELECT format('%s %s: numbers %s where 1..%s should be', kind, id, found, last) AS line FROM logs
    WHERE coalesce(found, '{}') <> ARRAY(SELECT generate_series(1::bigint, last))`);
  return rows.map((row) => row.line);
}

interface TaskLog {
  id: string;
  status: string;
  types: string[];
}

async function wrongEnds(database: TestDatabase): Promise<string[]> {
  const logs = await database.rows<TaskLog>(`
    SELECT id, status, ARRAY(SELECT type FROM events WHERE task_id = tasks.id ORDER BY seq) AS types
    FROM tasks`);
  return logs.flatMap(wrongEndsOf);
}

function wrongEndsOf({ id, status, types }: TaskLog): string[] {
  const isEnd = (type: string | undefined) => terminalTaskEvents.some((end) => end === type);
  const wrong: string[] = [];
  if (types.at(-1) !== `task.${status}`) {
    wrong.push(`task ${id} is ${status} but its log ends with ${types.at(-1)}`);
  }
  types.forEach((type, index) => {
    const next = types[index + 1];
    if (isEnd(type) && next !== undefined && next !== 'task.retried') {
      wrong.push(`task ${id}: ${next} follows ${type}`);
    }
  });
  return wrong;
}
