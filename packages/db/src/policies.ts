import { createHash } from 'node:crypto';
import type { TaskPolicy } from '@loom/shared/task-policy';
import type pg from 'pg';

/** Policies never change, so each process reads a policy once. */
const known = new Map<string, TaskPolicy>();
const maxKnown = 10_000;

/** Stores a policy under the hash of its content; returns its id. */
export async function ensurePolicy(client: pg.ClientBase, policy: TaskPolicy): Promise<string> {
  const text = JSON.stringify(policy);
  const id = createHash('sha256').update(text).digest('hex').slice(0, 32);
  await client.query({
    name: 'ensure-policy',
    text: 'INSERT INTO policies (id, policy) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    values: [id, text],
  });
  return id;
}

/** The policies of tasks, most of them from memory. */
export async function loadPolicies(
  client: pg.ClientBase,
  ids: Iterable<string>,
): Promise<(id: string) => TaskPolicy> {
  const missing = [...new Set(ids)].filter((id) => !known.has(id));
  if (missing.length > 0) {
    const { rows } = await client.query<{ id: string; policy: TaskPolicy }>({
      name: 'load-policies',
      text: 'SELECT id, policy FROM policies WHERE id = ANY($1)',
      values: [missing],
    });
    if (known.size + rows.length > maxKnown) known.clear();
    for (const { id, policy } of rows) known.set(id, policy);
  }
  return (id) => {
    const policy = known.get(id);
    if (policy === undefined) throw new Error(`there is no policy ${id}`);
    return policy;
  };
}
