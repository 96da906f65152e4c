import type { Database } from '../database.ts';
import type { Archive } from './recall-message.ts';

interface ArchiveKey {
  tenant_id: string;
  session_id: string;
  /** The turn that asks, or null for whoever looks from outside. */
  asking_turn_id: string | null;
}

/** The archive as the asker may see it: a turn finds neither its own words nor messages whose turn has not come. */
export async function openArchive(db: Database, key: ArchiveKey): Promise<Archive> {
  const { tenant_id, session_id, asking_turn_id } = key;
  if (asking_turn_id === null) return { tenant_id, session_id, hidden_turns: [] };
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM turns WHERE session_id = $1 AND tenant_id = $2 AND status = 'queued'`,
    [session_id, tenant_id],
  );
  return { tenant_id, session_id, hidden_turns: [asking_turn_id, ...rows.map(({ id }) => id)] };
}
