import { type Client, createClient } from '@loom/testing/api-client';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { checkInvariants } from '@loom/testing/invariants';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import type { Transcript } from '@loom/testing/transcript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cut, cutBytes, cutPlaces } from './cut-bytes.ts';
import { faultCount, seededChoice } from './fault-counts.ts';
import { type GrowingLog, startSession, startTask } from './growing-log.ts';
import { type OpenedStream, openAtCursor } from './open-at-cursor.ts';

const logsOfAKind = faultCount({ short: 2, full: 5 });
const readersOfALog = faultCount({ short: 5, full: 50 });
const cutsOfAReader = faultCount({ short: 3, full: 20 });
const patienceMs = faultCount({ short: 60_000, full: 300_000 });
/** Most of its characters have more than one byte. */
const words = 'Ünïcödé 漢字かな交じり文 😀🎉 \u2028 ';
let model: ScriptedModel;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  model.useWorkingBrain();
  cluster = await startCluster({ model, gateways: 2 });
}, 120_000);
afterAll(() => cluster.stop());

const allReach = (readers: { transcript: Transcript }[], seq: number) =>
  Promise.all(readers.map(({ transcript }) => transcript.reached(seq, patienceMs)));

const canary = 'the canary of another tenant';

/** Texts that no event has as its id. */
const garbage = [
  ...['-1', '+1', '1.0', '1e3', '0x1', 'NaN', 'null', 'undefined', 'garbage', '1 2', '1,2', '*'],
  ...['9'.repeat(15), '9'.repeat(16), '9'.repeat(400), '٣', '１', words.trim(), '😀'.repeat(200)],
  ...["' OR 1=1 --", '../../etc/passwd', '<script>', '{"seq":1}'],
];

async function startForeigner(): Promise<{ key: string; client: Client; ids: string[] }> {
  const named = { name: 'foreign', scopes: ['user'], tenant: 'foreign' };
  const { key } = (await cluster.client.post('/api/admin/keys', named)) as { key: string };
  const client = createClient({ url: cluster.gateways, key });
  const session = await client.createSession({ title: canary });
  const turn = await client.sendTurn(session.id, canary);
  await client.waitForTurn(session.id, turn.turn_id);
  return { key, client, ids: [session.id, turn.turn_id] };
}

/** Opens a log at each cursor, in the header at one gateway and in the address at the other. */
function openAtAll({ stream }: GrowingLog, key: string, cursors: string[]) {
  const [here = '', there = ''] = cluster.gateways;
  return Promise.all(
    cursors.flatMap((cursor) => [
      openAtCursor({ url: here, key, stream, cursor, by: 'header' }),
      openAtCursor({ url: there, key, stream, cursor, by: 'query' }),
    ]),
  );
}

const told = ({ transcript }: OpenedStream) =>
  transcript.events.map(({ seq, type, data }) => ({ seq, type, data }));

test('R17: any cursor gets what follows it or an open reset, and nobody else’s events', async () => {
  const { key } = cluster;
  const foreigner = await startForeigner();
  const gate = model.hold('executor');
  const task = await startTask(cluster);
  await gate.arrived;
  const session = await startSession(cluster);
  await session.grow(words);
  await session.completed(patienceMs);
  const ids = [...foreigner.ids, task.stream.id, session.stream.id];

  for (const log of [task, session]) {
    const { kind, id } = log.stream;
    await log.grow(words);
    if (log === session) await session.completed(patienceMs);
    const last = await log.lastSeq();
    const future = [last + 1, last + 1_000].map(String);
    const unusable = [...garbage, ...ids, `${id}:1`, ...future];
    const usable = [0, 1, last - 1, last].map(String);
    const refused = await openAtAll(log, foreigner.key, [...unusable, ...usable, '']);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([404]));

    const reset = await openAtAll(log, key, unusable);
    const resumed = await openAtAll(log, key, usable);
    const fresh = await openAtAll(log, key, ['']);
    const all = [...reset, ...resumed, ...fresh];
    expect(all.filter(({ status }) => status !== 200)).toEqual([]);
    await log.grow(words);
    if (log === session) await session.completed(patienceMs);
    const stored = await cluster.database.rows(
      `SELECT seq, type, data FROM ${kind === 'task' ? 'events' : 'session_events'}
       WHERE ${kind}_id = $1 ORDER BY seq`,
      [id],
    );
    await allReach(all, stored.length);

    for (const opened of reset) {
      const [first, ...rest] = told(opened);
      const data = { last_seq: last, snapshot: { id } };
      expect(first, opened.cursor).toMatchObject({ seq: last, type: 'stream.reset', data });
      expect(rest, opened.cursor).toEqual(stored.slice(last));
    }
    for (const opened of resumed) expect(told(opened)).toEqual(stored.slice(Number(opened.cursor)));
    const start = kind === 'task' ? 0 : last;
    for (const opened of fresh) expect(told(opened)).toEqual(stored.slice(start));
    const heard = all.map(({ transcript }) => [transcript.events, transcript.live]);
    expect(JSON.stringify(heard)).not.toContain(canary);
    await Promise.all(all.map(({ transcript }) => transcript.stop()));
  }
  gate.release();
  await task.completed(patienceMs);
  await checkInvariants({ ...cluster });
}, 240_000);

/** A client that comes back after each of its cuts, at the next gateway. */
interface Reader {
  /** Those that are left. */
  cuts: Cut[];
  transcript: Transcript;
}

function startReader({ stream: { kind, id } }: GrowingLog, cuts: Cut[]): Reader {
  const through = () => {
    const [next] = cuts;
    return next === undefined ? null : cutBytes(next, () => cuts.shift());
  };
  return { cuts, transcript: cluster.client.follow(kind, id, { through }) };
}

/** Makes a log grow until each of its readers had all its cuts. */
async function feed(log: GrowingLog, readers: Reader[], choose: (below: number) => number) {
  while (readers.some(({ cuts }) => cuts.length > 0)) {
    for (let more = choose(4); more >= 0; more--) await log.grow(words.repeat(1 + choose(5)));
    await allReach(readers, await log.lastSeq());
  }
}

test('R17: streams cut at any byte go on without a gap or a repeat', async () => {
  const choose = seededChoice('R17');
  // The tasks go on until the last cut.
  const gate = model.hold('executor');
  const starts = Array.from({ length: logsOfAKind }, () => [startTask, startSession]).flat();
  const logs = await Promise.all(starts.map((start) => start(cluster)));
  // Every kind of place gets its turn; only the bytes before it are up to chance.
  const cutsFrom = (first: number) =>
    Array.from({ length: cutsOfAReader }, (_, index): Cut => {
      const at = cutPlaces[(first + index) % cutPlaces.length] ?? 'anywhere';
      return { after: choose(1_500), at };
    });
  const audiences = logs.map((log) => ({
    log,
    readers: Array.from({ length: readersOfALog }, (_, index) => startReader(log, cutsFrom(index))),
  }));
  await Promise.all(audiences.map(({ log, readers }) => feed(log, readers, choose)));
  gate.release();
  await Promise.all(
    audiences.map(async ({ log, readers }) => {
      await log.completed(patienceMs);
      await allReach(readers, await log.lastSeq());
      // Nobody is to ask for ever what comes after the end of a task.
      await Promise.all(readers.map(({ transcript }) => transcript.stop()));
    }),
  );
  const transcripts = audiences.flatMap(({ readers }) =>
    readers.map(({ transcript }) => transcript),
  );
  await checkInvariants({ ...cluster, transcripts });
}, 900_000);
