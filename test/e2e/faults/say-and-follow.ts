import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '@loom/testing/cluster';
import { parseEvents, type StreamedEvent } from '@loom/testing/event-stream';
import { followStream, type Transcript } from '@loom/testing/transcript';

const reconnectDelayMs = 50;
const turnEnds = ['turn.completed', 'turn.failed', 'turn.cancelled'];

/**
 * Says something and follows the turn's own stream to its end. When the connection breaks, says it
 * again with the same Idempotency-Key at the next gateway, which must tell the same story.
 */
export function sayAndFollow(
  { gateways, key }: Pick<Cluster, 'gateways' | 'key'>,
  sessionId: string,
  content: string,
): Transcript {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'text/event-stream',
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };

  async function say(url: string, signal: AbortSignal): Promise<Response | null> {
    const init = { method: 'POST', headers, body: JSON.stringify({ content }), signal };
    try {
      return await fetch(`${url}/api/sessions/${sessionId}/turns`, init);
    } catch {
      // This gateway is gone.
      return null;
    }
  }

  async function* open(signal: AbortSignal): AsyncGenerator<StreamedEvent> {
    const told: StreamedEvent[] = [];
    for (let connection = 0; !signal.aborted; connection++) {
      const response = await say(gateways[connection % gateways.length] ?? '', signal);
      if (response?.status === 200 && response.body !== null) {
        let place = 0;
        for await (const event of untilBroken(parseEvents(response.body, signal))) {
          const known = event.id === null ? undefined : told[place++];
          if (known === undefined) yield event;
          else if (!isDeepStrictEqual(known, event)) {
            throw new Error(`told ${JSON.stringify(known)} first, then ${JSON.stringify(event)}`);
          }
          if (event.id !== null && known === undefined) told.push(event);
          if (turnEnds.includes(event.type)) return;
        }
      } else if (response !== null && response.status !== 409) {
        throw new Error(`answered ${response.status}: ${await response.text()}`);
      }
      await delay(reconnectDelayMs);
    }
  }
  return followStream({ kind: 'session', id: sessionId }, open);
}

async function* untilBroken<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch {
    // A broken connection ends the list.
  }
}
