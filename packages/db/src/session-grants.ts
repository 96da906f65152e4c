import type { Database } from './database.ts';

/** What a person lets the calls of a session, and of the tasks it started, do and reach. */
export interface SessionGrants {
  /** Tools that run without asking. */
  tools: string[];
  /** Directories beside the workspace that may be read. */
  read_roots: string[];
  /** Whether commands may use the network, where the operator leaves that to grants. */
  network: boolean;
}

/** What a task outside any session has, and one whose session has ended. */
export const noGrants: SessionGrants = { tools: [], read_roots: [], network: false };

/** The grants of the session of a task in row `t`; null without one, and after its end. */
export const taskGrantsSql = `CASE WHEN t.session_id IS NOT NULL THEN (SELECT g.grants FROM sessions g
  WHERE g.id = t.session_id AND g.tenant_id = t.tenant_id AND g.status = 'active') END`;

/** Grants as they are stored are whatever their owner wrote: only lists of names and paths count. */
export function toGrants(stored: Record<string, unknown> | null): SessionGrants {
  const tools = stringsIn(stored?.tools);
  const read_roots = stringsIn(stored?.read_roots);
  const network = stored?.network === true;
  const hasAny = tools.length > 0 || read_roots.length > 0 || network;
  return hasAny ? { tools, read_roots, network } : noGrants;
}

/** What a task's session grants at this moment. */
export async function loadTaskGrants(
  db: Database,
  { tenant_id, task_id }: { tenant_id: string; task_id: string | null },
): Promise<SessionGrants> {
  const { rows } = await db.pool.query<{ grants: Record<string, unknown> | null }>({
    name: 'load-task-grants',
    text: `SELECT ${taskGrantsSql} AS grants FROM tasks t WHERE t.id = $1 AND t.tenant_id = $2`,
    values: [task_id, tenant_id],
  });
  return toGrants(rows[0]?.grants ?? null);
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
