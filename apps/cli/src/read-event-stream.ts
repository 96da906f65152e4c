import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** The messages of an open event stream, until it ends or breaks. `onBytes` hears every arrival. */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<EventSourceMessage> {
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => arrived.push(message) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
