import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Action } from './answer.ts';
import type { ScriptedRequest } from './request.ts';
import type { Wire } from './wire.ts';

/** Does to a response what the script wants done. */
export async function perform(
  response: ServerResponse,
  wire: Wire,
  request: ScriptedRequest,
  action: Action,
): Promise<void> {
  switch (action.kind) {
    case 'hang':
      return;
    case 'status':
      if (action.retryAfter !== undefined) {
        response.setHeader('retry-after', String(action.retryAfter));
      }
      return sendJson(response, action.status, wire.error(action.status, action.message));
    case 'invalid_json':
      response.setHeader('content-type', request.stream ? 'text/event-stream' : 'application/json');
      response.end(request.stream ? 'data: {"id": "broken", "choi\n\n' : '{"id": "broken", "choi');
      return;
    case 'answer':
      return sendAnswer(response, wire, request, action);
  }
}

async function sendAnswer(
  response: ServerResponse,
  wire: Wire,
  request: ScriptedRequest,
  action: Extract<Action, { kind: 'answer' }>,
): Promise<void> {
  const { answer } = action;
  if (answer.delayMs > 0) await delay(answer.delayMs);
  const pieces = request.stream
    ? wire.stream(request, answer)
    : [JSON.stringify(wire.whole(request, answer))];
  response.setHeader('content-type', request.stream ? 'text/event-stream' : 'application/json');
  if (action.cutAfterBytes !== null) {
    const kept = Buffer.from(pieces.join('')).subarray(0, action.cutAfterBytes);
    response.flushHeaders();
    response.write(kept, () => response.destroy());
    return;
  }
  if (answer.chunkDelayMs === 0 && answer.beforePiece === undefined) {
    response.end(pieces.join(''));
    return;
  }
  for (const [sent, piece] of pieces.entries()) {
    await answer.beforePiece?.(sent);
    if (response.destroyed) return;
    response.write(piece);
    if (answer.chunkDelayMs > 0) await delay(answer.chunkDelayMs);
  }
  response.end();
}

/** Sends a JSON body. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
