import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Approval } from '@loom/shared/approval';
import type { Cluster } from '@loom/testing/cluster';
import { onFileEnd } from '@loom/testing/file-end';
import { toolCalls } from '@loom/testing/scripted-model/replies';

/** The types of a task's events so far, in order. */
export async function eventTypes({ client }: Cluster, id: string): Promise<string[]> {
  return (await client.getEvents(id)).map(({ type }) => type);
}

/** Follows a task until an event of this type has come so many times; returns what it says. */
export async function untilEvent({ client }: Cluster, id: string, type: string, count = 1) {
  const stop = new AbortController();
  const path = `/api/tasks/${id}/events`;
  let seen = 0;
  for await (const event of client.streamEvents(path, { after: '0', signal: stop.signal })) {
    if (event.type === type) seen += 1;
    if (seen < count) continue;
    stop.abort();
    return event.data;
  }
  throw new Error(`the stream of ${id} ended before ${type}`);
}

/** The question about a task that is open. */
export async function pendingApproval({ client }: Cluster, taskId: string): Promise<Approval> {
  const [approval] = await client.listApprovals({ task_id: taskId });
  if (approval === undefined) throw new Error(`no approval is pending for ${taskId}`);
  return approval;
}

/** Waits until a unit of the task has given its worker back for this reason. */
export async function untilParked({ database }: Cluster, taskId: string, reason: string) {
  for (;;) {
    const rows = await database.rows(
      `SELECT 1 FROM units WHERE task_id = $1 AND status = 'parked' AND parked_for = $2`,
      [taskId, reason],
    );
    if (rows.length > 0) return;
    await database.rows('SELECT pg_sleep(0.05)');
  }
}

/** A reply that writes a file. */
export const writes = (path: string, content = 'done\n') =>
  toolCalls([{ name: 'write_file', arguments: { path, content } }]);

/** A reply that runs a command. */
export const runs = (command: string) =>
  toolCalls([{ name: 'shell_execute', arguments: { command } }]);

/** A server that callbacks go to: the first it does not take, all others it does. */
export async function startReceiver() {
  const heard: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      heard.push({ headers: request.headers, body });
      response.writeHead(heard.length === 1 ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onFileEnd(async () => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, heard };
}
