import { assertNever } from '@loom/shared/assert-never';
import type { TokenUsage } from '@loom/shared/chat';
import type { Fault, Pace, Reply, ScriptedCall, TextReply, ToolCallsReply } from './replies.ts';
import { text, textPieces, toolCalls } from './replies.ts';
import type { ScriptedRequest } from './request.ts';

/** A call ready for the wire: id fixed, arguments as the bytes to send. */
export interface WireCall {
  id: string;
  name: string;
  arguments: string;
}

/** What a protocol must put on the wire when nothing goes wrong. */
export interface Answer {
  pieces: string[];
  calls: WireCall[];
  delayMs: number;
  chunkDelayMs: number;
  beforePiece: Pace['beforePiece'];
}

/** What the server does with a request: an answer, perhaps damaged, or a refusal. */
export type Action =
  | { kind: 'answer'; answer: Answer; cutAfterBytes: number | null }
  | { kind: 'status'; status: number; retryAfter?: number | string; message: string }
  | { kind: 'invalid_json' }
  | { kind: 'hang' };

/** Turns a scripted reply into an action; `number` makes call ids unique. */
export function planAction(reply: Reply, number: number): Action {
  if (reply.kind === 'fault') return planFault(reply.fault, number);
  return { kind: 'answer', answer: planAnswer(reply, number), cutAfterBytes: null };
}

function planFault(fault: Fault, number: number): Action {
  switch (fault.kind) {
    case 'status':
      return { message: `scripted status ${fault.status}`, ...fault };
    case 'hang':
    case 'invalid_json':
      return { kind: fault.kind };
    case 'cut': {
      const answer = planAnswer(
        fault.reply ?? text('This reply is cut short. '.repeat(40)),
        number,
      );
      return { kind: 'answer', answer, cutAfterBytes: fault.afterBytes };
    }
    case 'empty':
      return { kind: 'answer', answer: planAnswer(text(''), number), cutAfterBytes: null };
    case 'duplicate_ids': {
      const list = { name: 'list_directory', arguments: {} };
      const calls = (fault.calls ?? [list, list]).map((call) => ({
        ...call,
        id: `call_${number}`,
      }));
      return {
        kind: 'answer',
        answer: planAnswer(toolCalls(calls), number),
        cutAfterBytes: null,
      };
    }
    default:
      return assertNever(fault);
  }
}

function planAnswer(reply: TextReply | ToolCallsReply, number: number): Answer {
  return {
    pieces: textPieces(reply.text, reply.kind === 'text' ? reply.chunks : 4),
    calls: reply.kind === 'text' ? [] : reply.calls.map((call, i) => wireCall(call, number, i)),
    delayMs: reply.delayMs ?? 0,
    chunkDelayMs: reply.chunkDelayMs ?? 0,
    beforePiece: reply.beforePiece,
  };
}

function wireCall(call: ScriptedCall, number: number, index: number): WireCall {
  return {
    id: call.id ?? `call_${number}_${index}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  };
}

/** Tokens by a rough count that is the same in every run. */
export function measureUsage(request: ScriptedRequest, answer: Answer): TokenUsage {
  const read = request.messages.map((message) => message.content).join('');
  const written = [...answer.pieces, ...answer.calls.map((call) => call.arguments)].join('');
  return {
    input_tokens: Math.ceil(read.length / 4),
    output_tokens: Math.ceil(written.length / 4),
  };
}
