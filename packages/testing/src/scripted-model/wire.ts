import type { Answer } from './answer.ts';
import type { ScriptedRequest } from './request.ts';

/** One of the protocols that the server speaks. */
export interface Wire {
  parse(
    body: Record<string, unknown>,
  ): Pick<ScriptedRequest, 'model' | 'stream' | 'messages' | 'tools'>;
  /** The events of a streamed answer, each a complete SSE block. */
  stream(request: ScriptedRequest, answer: Answer): string[];
  /** The body of an answer in one piece. */
  whole(request: ScriptedRequest, answer: Answer): Record<string, unknown>;
  /** An error in this provider's shape. */
  error(status: number, message: string): Record<string, unknown>;
}

/** Cuts JSON into the pieces in which arguments are streamed. */
export function argumentPieces(json: string): string[] {
  const size = Math.max(1, Math.ceil(json.length / 3));
  const pieces: string[] = [];
  for (let start = 0; start < json.length; start += size) {
    pieces.push(json.slice(start, start + size));
  }
  return pieces;
}

/** Content that is a string, or a list of parts of which only the texts matter. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
}
