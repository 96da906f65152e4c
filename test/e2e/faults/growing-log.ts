import type { Cluster } from '@loom/testing/cluster';
import type { Transcript } from '@loom/testing/transcript';
import { expect } from 'vitest';

/** Work whose log grows when a test wants it to. */
export interface GrowingLog {
  stream: Transcript['stream'];
  /** Adds something; the text stands in the log. */
  grow(text: string): Promise<void>;
  /** Waits until all that was added is worked on, after which a session's log is silent. */
  completed(timeoutMs: number): Promise<void>;
  lastSeq(): Promise<number>;
}

/** A session that grows by turns. */
export async function startSession({ client, database }: Cluster): Promise<GrowingLog> {
  const { id } = await client.createSession();
  let latest = '';
  return {
    stream: { kind: 'session', id },
    async grow(text) {
      latest = (await client.sendTurn(id, text)).turn_id;
    },
    async completed(timeoutMs) {
      expect((await client.waitForTurn(id, latest, { timeoutMs })).status).toBe('completed');
    },
    lastSeq: () => readLastSeq(database, 'sessions', id),
  };
}

/** A task that grows by guidance; the model must hold its executor for as long as it is to grow. */
export async function startTask(cluster: Cluster): Promise<GrowingLog> {
  const { client, database } = cluster;
  const { id } = await client.createTask({
    goal: 'grow',
    plan: { subtasks: [{ id: 'a', description: 'do a' }] },
    workspace: await cluster.newWorkspace(),
  });
  return {
    stream: { kind: 'task', id },
    async grow(text) {
      await client.steerTask(id, text);
    },
    async completed(timeoutMs) {
      expect((await client.waitForTask(id, { timeoutMs })).status).toBe('completed');
    },
    lastSeq: () => readLastSeq(database, 'tasks', id),
  };
}

async function readLastSeq(database: Cluster['database'], table: string, id: string) {
  const sql = `SELECT last_seq FROM ${table} WHERE id = $1`;
  const [row] = await database.rows<{ last_seq: number }>(sql, [id]);
  return row?.last_seq ?? 0;
}
