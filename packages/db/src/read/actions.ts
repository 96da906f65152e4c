import type { LedgerEntry } from '@loom/shared/work';
import type { Database } from '../database.ts';
import { decodeCursor, type Page, toPage } from './keyset-cursor.ts';
import { toIso, toIsoOrNull } from './row-values.ts';

/** One tool call of a task, as the ledger has it. */
export interface Action {
  key: string;
  subtask_id: string | null;
  attempt: number | null;
  tool: string;
  effect: LedgerEntry['effect'];
  status: LedgerEntry['status'];
  /** As they were, or the beginning of their JSON text when they are long. */
  arguments: unknown;
  arguments_cut: boolean;
  exit_code: number | null;
  files_changed: string[];
  started_at: string;
  ended_at: string | null;
}

interface ActionRow extends Omit<Action, 'started_at' | 'ended_at'> {
  started_at: Date;
  ended_at: Date | null;
}

/** Characters of arguments that a list shows; a whole file may have been among them. */
const maxArgumentChars = 2_000;

/** What was done for a task, oldest first. */
export async function listActions(
  db: Database,
  params: { tenant_id: string; task_id: string; limit: number; cursor?: string },
): Promise<Page<Action>> {
  const after = decodeCursor(params.cursor);
  const { rows } = await db.pool.query<ActionRow>(
    `SELECT key, subtask_id, attempt, tool, effect, status,
       CASE WHEN cut THEN to_jsonb(left(given, ${maxArgumentChars})) ELSE arguments END AS arguments,
       cut AS arguments_cut, exit_code, files_changed, started_at, ended_at
     FROM tool_calls,
       LATERAL (SELECT arguments::text AS given) text,
       LATERAL (SELECT length(given) > ${maxArgumentChars} AS cut) size
     WHERE task_id = $1 AND tenant_id = $2
       AND ($3::timestamptz IS NULL OR (started_at, key) > ($3, $4))
     ORDER BY started_at, key LIMIT $5`,
    [params.task_id, params.tenant_id, after?.at ?? null, after?.id ?? null, params.limit + 1],
  );
  const actions = rows.map((row) => ({
    ...row,
    started_at: toIso(row.started_at),
    ended_at: toIsoOrNull(row.ended_at),
  }));
  return toPage(actions, params.limit, ({ started_at, key }) => ({ at: started_at, id: key }));
}
