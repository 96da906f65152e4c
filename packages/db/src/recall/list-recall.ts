import type { Database } from '../database.ts';
import {
  type Archive,
  archiveValues,
  ofArchive,
  type RecallMessage,
  recallColumns,
} from './recall-message.ts';

/** Messages by number, in order. */
export async function listByNumber(
  db: Database,
  archive: Archive,
  params: { start: number; end: number; limit: number; newest_first?: boolean },
): Promise<RecallMessage[]> {
  const order = params.newest_first ? 'DESC' : 'ASC';
  const { rows } = await db.pool.query<RecallMessage>(
    `SELECT ${recallColumns} FROM messages
     WHERE ${ofArchive} AND number BETWEEN $4::bigint AND $5::bigint
     ORDER BY number ${order} LIMIT $6`,
    [...archiveValues(archive), params.start, params.end, params.limit],
  );
  return rows.map((row) => ({ ...row, is_match: true })).sort((a, b) => a.number - b.number);
}

/** The messages of these numbers in that order, each between the ones before and after it; none twice. */
export async function listWithNeighbours(
  db: Database,
  archive: Archive,
  numbers: number[],
): Promise<RecallMessage[]> {
  const wanted = new Set(numbers.flatMap((number) => [number - 1, number, number + 1]));
  const { rows } = await db.pool.query<RecallMessage>(
    `SELECT ${recallColumns} FROM messages
     WHERE ${ofArchive} AND number = ANY ($4::int[])`,
    [...archiveValues(archive), [...wanted]],
  );
  const known = new Map(rows.map((row) => [row.number, row]));
  const hits = new Set(numbers);
  return [...wanted].flatMap((number) => {
    const row = known.get(number);
    return row === undefined ? [] : [{ ...row, is_match: hits.has(number) }];
  });
}

/** The newest results of tools, of one tool if named, each after the call that asked for it. */
export async function listToolCalls(
  db: Database,
  archive: Archive,
  params: { tool_name: string | null; limit: number },
): Promise<RecallMessage[]> {
  const { rows } = await db.pool.query<RecallMessage & { call: { arguments: unknown } | null }>(
    `SELECT r.number, r.role, r.content, r.tool_calls, r.tool_name, asked.call
     FROM (
       SELECT number, role, content, tool_calls, tool_name, tool_call_id FROM messages
       WHERE ${ofArchive} AND role = 'tool'
         AND ($4::text IS NULL OR tool_name = $4)
       ORDER BY number DESC LIMIT $5
     ) r
     LEFT JOIN LATERAL (
       SELECT (
         SELECT c FROM jsonb_array_elements(m.tool_calls) c WHERE c ->> 'id' = r.tool_call_id LIMIT 1
       ) AS call
       FROM messages m
       WHERE m.session_id = $1 AND m.tenant_id = $2 AND m.number < r.number AND m.number >= r.number - 50
         AND m.role = 'assistant' AND m.tool_calls IS NOT NULL
       ORDER BY m.number DESC LIMIT 1
     ) asked ON true
     ORDER BY r.number`,
    [...archiveValues(archive), params.tool_name, params.limit],
  );
  return rows.map(({ call, ...row }) => ({
    ...row,
    content: call === null ? row.content : `${JSON.stringify(call.arguments)}\n${row.content}`,
    is_match: true,
  }));
}
