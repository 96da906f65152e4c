import type { ChatMessage } from '@loom/shared/chat';

export const scriptedRoles = ['planner', 'executor', 'verifier', 'cowork', 'extractor'] as const;
export type ScriptedRole = (typeof scriptedRoles)[number];

export type Protocol = 'openai' | 'anthropic';

/** A request as a script sees it, whatever protocol it came by. */
export interface ScriptedRequest {
  /** 1 for the first request this server received. */
  number: number;
  /** When it arrived, in milliseconds since 1970. */
  at: number;
  /** Milliseconds from then until the whole reply was sent; null before. */
  took_ms: number | null;
  protocol: Protocol;
  role: ScriptedRole;
  model: string;
  stream: boolean;
  messages: ChatMessage[];
  /** Names of the tools offered. */
  tools: string[];
  /** System and user texts joined: where the role's markers stand. */
  prompt: string;
  lastUserText: string;
  headers: Record<string, string>;
  /** The body as it was sent. */
  body: Record<string, unknown>;
  /** True once its connection closed before the whole reply was sent. */
  abandoned: boolean;
}

/** The text between `NAME:` and `END NAME`, or null when the prompt has no such section. */
export function promptSection(prompt: string, name: string): string | null {
  const match = new RegExp(`^${name}:(.*?)^END ${name}\\b`, 'ms').exec(prompt);
  return match?.[1]?.trim() ?? null;
}

/** The `- item` lines that follow `NAME:`. */
export function promptList(prompt: string, name: string): string[] {
  const match = new RegExp(`^${name}:[^\\n]*\\n((?:- [^\\n]*(?:\\n|$))*)`, 'm').exec(prompt);
  return (match?.[1] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => line.slice(2).trim());
}

/** Tells who is asking by the markers that each role's prompt carries. */
export function guessRole(prompt: string, tools: readonly string[]): ScriptedRole {
  if (tools.length === 0 && promptSection(prompt, 'RECORD') !== null) return 'extractor';
  if (tools.length === 0 && promptSection(prompt, 'REQUIREMENT') !== null) return 'verifier';
  if (promptSection(prompt, 'SUBTASK') !== null) return 'executor';
  if (tools.length === 0 && promptSection(prompt, 'GOAL') !== null) return 'planner';
  return 'cowork';
}

/** Completes a request from what its protocol's parser found. */
export function describeRequest(
  parsed: Omit<ScriptedRequest, 'role' | 'prompt' | 'lastUserText' | 'took_ms' | 'abandoned'>,
): ScriptedRequest {
  const prompt = parsed.messages
    .filter((message) => message.role === 'system' || message.role === 'user')
    .map((message) => message.content)
    .join('\n');
  const users = parsed.messages.filter((message) => message.role === 'user');
  return {
    ...parsed,
    prompt,
    lastUserText: users.at(-1)?.content ?? '',
    role: guessRole(prompt, parsed.tools),
    took_ms: null,
    abandoned: false,
  };
}
