import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { checkInvariants } from '@loom/testing/invariants';
import type { LoomProcess } from '@loom/testing/processes';
import { startScriptedModel } from '@loom/testing/scripted-model-server';
import { openStalledReader, type StalledReader } from '@loom/testing/stalled-reader';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultCount, seededChoice } from './fault-counts.ts';
import { countHandles, handlesBeyond, peakMemory } from './gateway-handles.ts';

const connectCount = faultCount({ short: 60, full: 1_000 });
const stalledCount = faultCount({ short: 8, full: 50 });
const atOnce = 20;
/** Together far more than the kernel holds for a reader, which is less than ten megabytes. */
const messageCount = 700;
/** As much as an event shows of a message. */
const messageChars = 31_000;
/** What the gateway may need for so many readers: a page of the log each, and some garbage. */
const allowedMegabytes = 60 + 5 * stalledCount;
const patience = { timeout: 120_000, interval: 100 };

let cluster: Cluster;
let gateway: LoomProcess;

beforeAll(async () => {
  cluster = await startCluster({
    model: await startScriptedModel(),
    // What users say fills a log: nobody needs to answer.
    planners: 0,
    runners: 0,
    // So that garbage is collected early and does not pass for what is held.
    env: { NODE_OPTIONS: `--max-old-space-size=${160 + 2 * stalledCount}` },
    verifiers: 0,
  });
  gateway = cluster.of('gateway')[0] as LoomProcess;
}, 120_000);
afterAll(() => cluster.stop());

test('R18: readers that come, go or stall cost the gateway nothing that stays, and nobody waits for them', async () => {
  const choose = seededChoice('R18');
  const { client } = cluster;
  const { id } = await client.createSession();
  const path = `/api/sessions/${id}/events`;
  // Everything that is opened once is open before the counting begins.
  await say(id, atOnce);
  await comeAndGo(path, atOnce, choose);
  const before = await countHandles(cluster, gateway);
  const memoryBefore = await peakMemory(gateway.pid);

  const attentive = [client.follow('session', id), client.follow('session', id)];
  // Some stall while the log grows, most of them in the middle of a long one.
  const stalled = await openStalled(path, Math.ceil(stalledCount / 4));
  await say(id, messageCount);
  stalled.push(...(await openStalled(path, stalledCount - stalled.length)));
  const log = await readLog(id);
  for (const reader of attentive) await reader.reached(log.length, patience.timeout);

  // Who reads again in time goes on where he was; so does, by his cursor, who was given up.
  const [early, late] = [stalled.slice(0, stalledCount / 2), stalled.slice(stalledCount / 2)];
  const cut: boolean[] = [];
  for (const reader of early) cut.push(await catchUp(path, reader, log));
  await comeAndGo(path, connectCount, choose);
  const memory = (await peakMemory(gateway.pid)) - memoryBefore;
  console.info(
    `R18: ${connectCount} came and went; ${cut.filter((wasCut) => !wasCut).length} of ${early.length} that stalled went on; ${Math.round(memory)} MB more at the most`,
  );
  expect(memory).toBeLessThan(allowedMegabytes);
  await expect
    .poll(async () => (await countHandles(cluster, gateway)).streams, patience)
    .toBe(attentive.length);
  for (const reader of late) expect(await catchUp(path, reader, log)).toBe(true);

  await client.post(`/api/sessions/${id}/end`);
  const { length } = await readLog(id);
  for (const reader of attentive) {
    await reader.reached(length, patience.timeout);
    await reader.stop();
  }
  await expect
    .poll(async () => handlesBeyond(before, await countHandles(cluster, gateway)), patience)
    .toEqual([]);
  // Somebody must take the first turn's job off the queue.
  await cluster.add('runner');
  await checkInvariants({ ...cluster, transcripts: attentive });
}, 900_000);

async function say(sessionId: string, count: number): Promise<void> {
  for (let said = 0; said < count; said += atOnce) {
    const messages = Array.from({ length: atOnce }, (_, index) =>
      `${said + index} `.padEnd(messageChars, 'All of it. '),
    );
    await Promise.all(messages.map((content) => cluster.client.sendTurn(sessionId, content)));
  }
}

/** Opens so many streams, some at a time, and hangs up at whatever moment. */
async function comeAndGo(
  path: string,
  count: number,
  choose: (below: number) => number,
): Promise<void> {
  const moments = ['asked', 'answered', 'reading'] as const;
  for (let gone = 0; gone < count; gone += atOnce) {
    const visits = Array.from({ length: Math.min(atOnce, count - gone) }, async () => {
      const after = ['0', '1', '', 'garbage'][choose(4)] ?? '';
      const moment = moments[choose(moments.length)];
      const outgoing = request(new URL(`${path}?after=${after}`, gateway.url), {
        agent: false,
        headers: { authorization: `Bearer ${cluster.key}`, accept: 'text/event-stream' },
      });
      // Hanging up before the answer is an error to the one who hangs up.
      outgoing.on('error', () => {});
      const closed = new Promise((resolve) => outgoing.once('close', resolve));
      outgoing.end();
      if (moment === 'asked') await once(outgoing, 'finish');
      else {
        const [response] = await once(outgoing, 'response');
        if (moment === 'reading') await once(response, 'data');
      }
      outgoing.destroy();
      await closed;
    });
    await Promise.all(visits);
  }
}

function openStalled(path: string, count: number): Promise<StalledReader[]> {
  const options = { url: gateway.url, path, key: cluster.key, after: '0' };
  return Promise.all(Array.from({ length: count }, () => openStalledReader(options)));
}

/** Reads a log to its end, by cursor if the connection was cut; true when it was. */
async function catchUp(
  path: string,
  reader: StalledReader,
  log: readonly string[],
): Promise<boolean> {
  const seen: string[] = [];
  const note = (event: LogLine & { id: string | null }) => {
    if (event.id !== null) seen.push(digest(event));
    return seen.length === log.length;
  };
  const wasCut = await reader.read(note);
  if (wasCut) {
    const stopped = new AbortController();
    const options = { after: String(seen.length), signal: stopped.signal };
    for await (const event of cluster.client.streamEvents(path, options)) {
      if (note(event)) break;
    }
    stopped.abort();
  }
  expect(seen).toEqual(log);
  reader.leave();
  return wasCut;
}

interface LogLine {
  seq?: number;
  type: string;
  data: Record<string, unknown>;
}

async function readLog(sessionId: string): Promise<string[]> {
  const lines = await cluster.database.rows<LogLine>(
    'SELECT seq, type, data FROM session_events WHERE session_id = $1 ORDER BY seq',
    [sessionId],
  );
  return lines.map(digest);
}

/** Enough to tell events apart; so many long ones cannot all be kept. */
function digest({ seq, type, data }: LogLine): string {
  return `${seq} ${type} ${createHash('sha256').update(JSON.stringify(data)).digest('hex')}`;
}
