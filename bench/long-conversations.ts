import { text } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { fillSession } from './fill-session.ts';
import type { Measurement } from './measurement.ts';
import { openBenchDatabase } from './open-bench-database.ts';
import { percentile } from './percentile.ts';
import type { BackendKind } from './private-servers.ts';
import { adminKey } from './product-process.ts';
import { readFrames } from './read-frames.ts';
import { startDeployment } from './start-deployment.ts';

const longSession = 10_000;
const shortSession = 10;
/** A short session grows with each turn, so that it serves for few. */
const turnsOfShort = 5;
const warmUps = 10;
const turns = 60;
const pages = 100;
const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };

/** (g) What a turn and a page of a conversation of 10,000 messages cost besides the model. */
export async function measureLongConversations(kind: BackendKind): Promise<Measurement[]> {
  const model = await startScriptedModel();
  model.on('cowork', text('Done, as you asked.'));
  const product = await startDeployment(kind, model.url);
  const db = await openBenchDatabase(product.database_url);
  const openSession = async (messages: number): Promise<string> => {
    const response = await fetch(`${product.url}/api/sessions`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    const { id } = (await response.json()) as { id: string };
    await fillSession(db, id, messages);
    return id;
  };

  const long = await openSession(longSession);
  const page = await timePages(`${product.url}/api/sessions/${long}/messages`);
  const samples: Record<'long' | 'short', TurnSample[]> = { long: [], short: [] };
  let short = '';
  for (let turn = 0; turn < warmUps + turns; turn++) {
    if (turn % turnsOfShort === 0) short = await openSession(shortSession);
    for (const [length, id] of Object.entries({ long, short }) as ['long' | 'short', string][]) {
      const sample = await timeTurn(`${product.url}/api/sessions/${id}/turns`, model);
      if (turn >= warmUps) samples[length].push(sample);
    }
  }
  await db.close();
  await product.stop();
  await model.close();
  const ours = (found: TurnSample[], share: number) =>
    percentile(
      found.map(({ whole, model }) => whole - model),
      share,
    );
  return [
    {
      part: 'g',
      name: `a turn besides its model, 10,000 messages, ${product.name}`,
      value: ours(samples.long, 0.5),
      unit: 'ms p50',
      target: { at_most: 30 },
      detail: {
        p95_ms: ours(samples.long, 0.95),
        with_10_messages_p50_ms: ours(samples.short, 0.5),
        model_p50_ms: percentile(
          samples.long.map(({ model }) => model),
          0.5,
        ),
        window_kb: percentile(
          samples.long.map(({ bytes }) => bytes / 1_000),
          0.5,
        ),
      },
    },
    {
      part: 'g',
      name: `newest 50 of 10,000 messages, ${product.name}`,
      value: percentile(page.samples, 0.5),
      unit: 'ms p50',
      target: { at_most: 50 },
      detail: { p95_ms: percentile(page.samples, 0.95), page_kb: page.bytes / 1_000 },
    },
  ];
}

interface TurnSample {
  /** From the request to the end of the turn, as its client sees it. */
  whole: number;
  /** Of that, what the model took: from its request's arrival to the last byte of its answer. */
  model: number;
  /** What it was asked. */
  bytes: number;
}

async function timeTurn(url: string, model: ScriptedModel): Promise<TurnSample> {
  const asked = model.requests.length;
  const began = performance.now();
  let whole: number | null = null;
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: JSON.stringify({ content: 'Go on with the next part, please.' }),
  });
  for await (const data of readFrames(response)) {
    const { type } = JSON.parse(data) as { type?: string };
    if (type === 'turn.completed') whole ??= performance.now() - began;
  }
  const calls = model.requests.splice(asked);
  if (whole === null || calls.length !== 1) throw new Error(`${url}: not a turn of one call`);
  return {
    whole,
    model: calls.reduce((sum, { took_ms }) => sum + (took_ms ?? 0), 0),
    bytes: JSON.stringify(calls[0]?.body).length,
  };
}

/** The page that a client shows first when it opens a session. */
async function timePages(url: string): Promise<{ samples: number[]; bytes: number }> {
  const samples: number[] = [];
  let bytes = 0;
  for (let page = 0; page < warmUps + pages; page++) {
    const began = performance.now();
    const response = await fetch(`${url}?before=${2 ** 31 - 1}&limit=50`, { headers });
    const body = await response.text();
    if (page >= warmUps) samples.push(performance.now() - began);
    bytes = body.length;
    const { items } = JSON.parse(body) as { items: unknown[] };
    if (items.length !== 50) throw new Error(`${url} gave ${items.length} messages`);
  }
  return { samples, bytes };
}
