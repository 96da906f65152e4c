import { text } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import type { Measurement } from './measurement.ts';
import { percentile } from './percentile.ts';
import type { BackendKind } from './private-servers.ts';
import { adminKey } from './product-process.ts';
import { readFrames } from './read-frames.ts';
import { startDeployment } from './start-deployment.ts';

const warmUps = 10;
const turns = 100;
const words = 'This is an answer of some length, written word by word as a model would. ';

/** (c) How much later the first words of an answer come than from the model itself. */
export async function measureChatDelay(kind: BackendKind): Promise<Measurement[]> {
  const model = await startScriptedModel();
  // The first piece leaves at once; the rest follows while the clock has stopped.
  model.on('cowork', text(words.repeat(4), { chunks: 20, chunkDelayMs: 2 }));
  const product = await startDeployment(kind, model.url);
  const added = await measureTurns(product.url, model);
  await product.stop();
  await model.close();
  return [
    {
      part: 'c',
      name: `first words later than the model's, ${product.name}`,
      value: percentile(
        added.map(({ through, direct }) => through - direct),
        0.5,
      ),
      unit: 'ms p50',
      target: { at_most: 15 },
      detail: {
        p95_ms: percentile(
          added.map(({ through, direct }) => through - direct),
          0.95,
        ),
        through_p50_ms: percentile(
          added.map(({ through }) => through),
          0.5,
        ),
        direct_p50_ms: percentile(
          added.map(({ direct }) => direct),
          0.5,
        ),
      },
    },
  ];
}

/** One turn after the other, each followed by the very request that it made, sent straight to the model. */
async function measureTurns(url: string, model: ScriptedModel) {
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  const session = await fetch(`${url}/api/sessions`, { method: 'POST', headers, body: '{}' });
  const { id } = (await session.json()) as { id: string };
  const samples: { through: number; direct: number }[] = [];
  for (let turn = 1; turn <= warmUps + turns; turn++) {
    const through = await timeToText(
      `${url}/api/sessions/${id}/turns`,
      {
        headers: { ...headers, accept: 'text/event-stream' },
        body: JSON.stringify({ content: `This is message ${turn}.` }),
      },
      textOfEvent,
    );
    const direct = await timeToText(
      `${model.url}/chat/completions`,
      { headers, body: JSON.stringify(model.requests.at(-1)?.body) },
      textOfChunk,
    );
    if (turn > warmUps) samples.push({ through, direct });
  }
  return samples;
}

/** Milliseconds until a streamed answer's first text; reads on to its end. */
async function timeToText(
  url: string,
  request: { headers: Record<string, string>; body: string },
  textOf: (frame: Frame) => string | undefined,
): Promise<number> {
  const began = performance.now();
  let first: number | null = null;
  for await (const data of readFrames(await fetch(url, { method: 'POST', ...request }))) {
    if (first !== null || data === '[DONE]') continue;
    if (textOf(JSON.parse(data) as Frame)) first = performance.now() - began;
  }
  if (first === null) throw new Error(`${url} gave an answer without text`);
  return first;
}

interface Frame {
  type?: string;
  data?: { text?: string };
  choices?: { delta: { content?: string } }[];
}

function textOfEvent({ type, data }: Frame): string | undefined {
  return type === 'message.delta' || type === 'message.snapshot' ? data?.text : undefined;
}

function textOfChunk({ choices }: Frame): string | undefined {
  return choices?.[0]?.delta.content;
}
