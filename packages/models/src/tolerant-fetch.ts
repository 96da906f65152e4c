import { completionToEvents } from './completion-to-events.ts';
import { normalizeCompletion } from './normalize-completion.ts';

type Fetch = typeof globalThis.fetch;

/** Request fields that help but that a server may refuse: it then gets the plain request. */
const optionalFields = ['max_tokens', 'stream_options'];

const closingEvent = new TextEncoder().encode(
  'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n',
);

/**
 * Makes any server of the chat completions protocol look like a strict one: refused optional
 * fields are left out from then on, a plain JSON answer to a streaming request becomes events, and
 * a stream that ends with `[DONE]` counts as finished even without a finish reason.
 */
export function createTolerantFetch(fetch: Fetch): {
  fetch: Fetch;
  transformRequestBody: (body: Record<string, unknown>) => Record<string, unknown>;
} {
  let plainOnly = false;
  const transformRequestBody = (body: Record<string, unknown>) =>
    plainOnly ? withoutOptionalFields(body) : body;

  const send: Fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (plainOnly || (response.status !== 400 && response.status !== 422)) return response;
    const text = await response.text();
    if (!optionalFields.some((field) => text.includes(field))) return new Response(text, response);
    plainOnly = true;
    const body = withoutOptionalFields(JSON.parse(String(init?.body)));
    return fetch(input, { ...init, body: JSON.stringify(body) });
  };

  const tolerantFetch: Fetch = async (input, init) => {
    const response = await send(input, init);
    if (!response.ok || response.body === null) return response;
    const isStream = (response.headers.get('content-type') ?? '').includes('event-stream');
    if (isStream) return new Response(closeWhenDone(response.body), response);
    const text = await response.text();
    const completion = normalizeCompletion(text);
    if (completion === null) return new Response(text, response);
    const wantsStream = new Headers(init?.headers).get('accept')?.includes('event-stream');
    return new Response(
      wantsStream ? completionToEvents(completion) : JSON.stringify(completion),
      response,
    );
  };
  return { fetch: tolerantFetch, transformRequestBody };
}

function withoutOptionalFields(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).filter(([field]) => !optionalFields.includes(field)),
  );
}

function closeWhenDone(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let tail = '';
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        tail = (tail + Buffer.from(chunk).subarray(-64).toString('latin1')).slice(-64);
        controller.enqueue(chunk);
      },
      flush(controller) {
        if (tail.includes('[DONE]')) controller.enqueue(closingEvent);
      },
    }),
  );
}
