import { parseEvents } from '@loom/testing/event-stream';
import { followStream, type Transcript } from '@loom/testing/transcript';

interface Opening {
  url: string;
  key: string;
  stream: Transcript['stream'];
  cursor: string;
  /** How the cursor is sent. */
  by: 'header' | 'query';
}

/** One connection to a stream, begun at any cursor. */
export interface OpenedStream extends Opening {
  status: number;
  transcript: Transcript;
}

/** Opens a stream once; the answer has begun when this settles. */
export async function openAtCursor(opening: Opening): Promise<OpenedStream> {
  const { url, key, stream, cursor, by } = opening;
  const address = new URL(`/api/${stream.kind}s/${stream.id}/events`, url);
  if (by === 'query') address.searchParams.set('after', cursor);
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'text/event-stream',
    // Browsers send the bytes of a cursor as they got them, in UTF-8.
    ...(by === 'header' ? { 'last-event-id': Buffer.from(cursor).toString('latin1') } : {}),
  };
  return new Promise((resolve, reject) => {
    const transcript = followStream(stream, async function* open(signal) {
      const response = await fetch(address, { headers, signal }).catch((error) => {
        reject(error);
        throw error;
      });
      resolve({ ...opening, status: response.status, transcript });
      if (response.status === 200 && response.body !== null)
        yield* parseEvents(response.body, signal);
      else await response.body?.cancel();
    });
  });
}
