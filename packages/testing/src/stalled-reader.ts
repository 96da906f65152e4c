import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { parseEvents, type StreamedEvent } from './event-stream.ts';

/** A client that opened a stream and takes nothing out of its socket until it is told to read. */
export interface StalledReader {
  /** Passes on what comes, until `isEnough` says so or the connection ends; true: the connection ended. */
  read(isEnough: (event: StreamedEvent) => boolean): Promise<boolean>;
  /** Hangs up without a word. */
  leave(): void;
}

/** Opens a stream on a connection of its own, and resolves when the answer has begun. */
export async function openStalledReader(options: {
  url: string;
  path: string;
  key: string;
  /** The cursor to start after. */
  after: string;
}): Promise<StalledReader> {
  const outgoing = request(new URL(options.path, options.url), {
    agent: false,
    headers: {
      authorization: `Bearer ${options.key}`,
      accept: 'text/event-stream',
      'last-event-id': options.after,
    },
  });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${options.path}: ${response.statusCode}`);
  // A cut is met by whoever reads; until then it is nobody's error.
  for (const side of [response, outgoing]) side.on('error', () => {});

  return {
    async read(isEnough) {
      const body = Readable.toWeb(response) as ReadableStream<Uint8Array>;
      try {
        for await (const event of parseEvents(body)) if (isEnough(event)) return false;
      } catch {
        // Cut in the middle of a frame: what came before it counts.
      }
      return true;
    },
    leave: () => outgoing.destroy(),
  };
}
