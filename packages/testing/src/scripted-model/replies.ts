/** A tool call as a script writes it; a string is sent as it is, valid JSON or not. */
export interface ScriptedCall {
  name: string;
  arguments: Record<string, unknown> | string;
  /** Unique in the run unless given. */
  id?: string;
}

/** How fast an answer comes. */
export interface Pace {
  /** Wait before the first byte. */
  delayMs?: number;
  /** Wait between two pieces of a stream. */
  chunkDelayMs?: number;
  /** Waited for before each piece of a stream, of which so many are out; the first holds no text. */
  beforePiece?: (sent: number) => Promise<void> | undefined;
}

export interface TextReply extends Pace {
  kind: 'text';
  text: string;
  /** How many pieces a stream is cut into, or the pieces themselves. */
  chunks: number | string[];
}

export interface ToolCallsReply extends Pace {
  kind: 'tool_calls';
  calls: ScriptedCall[];
  text: string;
}

/** What a provider can do wrong. */
export type Fault =
  | { kind: 'status'; status: number; retryAfter?: number | string; message?: string }
  /** Accepts the request and never answers. */
  | { kind: 'hang' }
  /** Breaks the connection after so many bytes of the body. */
  | { kind: 'cut'; afterBytes: number; reply?: TextReply | ToolCallsReply }
  | { kind: 'invalid_json' }
  /** A well-formed reply with neither text nor calls. */
  | { kind: 'empty' }
  /** Two calls that carry the same id. */
  | { kind: 'duplicate_ids'; calls?: ScriptedCall[] };

export interface FaultReply {
  kind: 'fault';
  fault: Fault;
}

export type Reply = TextReply | ToolCallsReply | FaultReply;

/** Answers with text, streamed in `chunks` pieces. */
export function text(
  content: string,
  options: Pace & { chunks?: number | string[] } = {},
): TextReply {
  return { kind: 'text', text: content, chunks: 4, ...options };
}

/** Answers by asking for tool calls, with optional text before them. */
export function toolCalls(
  calls: ScriptedCall[],
  options: Pace & { text?: string } = {},
): ToolCallsReply {
  return { kind: 'tool_calls', calls, text: '', ...options };
}

/** Misbehaves. */
export function fault(value: Fault): FaultReply {
  return { kind: 'fault', fault: value };
}

/** The pieces in which a text is streamed. */
export function textPieces(content: string, chunks: number | string[]): string[] {
  if (Array.isArray(chunks)) return chunks;
  if (content === '') return [];
  const characters = Array.from(content);
  const size = Math.max(1, Math.ceil(characters.length / Math.max(1, chunks)));
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    pieces.push(characters.slice(start, start + size).join(''));
  }
  return pieces;
}
