import type { ChatMessage } from '@loom/shared/chat';
import { isSmallTalk } from './is-small-talk.ts';
import { coreTools, fallbackTools } from './known-tools.ts';
import { targetCall } from './read-run-tool.ts';
import type { ToolIntent } from './tool-tier.ts';

const maxRecentTools = 6;
/** Messages in which tools count as used lately. */
const maxLookedBack = 60;
/** Fewer words than these ("yes", "do it") mean what was asked for before them. */
const minOwnWords = 5;

/** What the next call is likely to be about, from the messages that it gets to see. */
export function turnIntent(messages: readonly ChatMessage[]): ToolIntent {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const last = messages[at]?.content ?? '';
  const recent = recentTools(messages);
  if (isSmallTalk(last) && !isAtWork(messages, at)) return { text: last, recent, small_talk: true };
  const isShort = last.trim().split(/\s+/).length < minOwnWords;
  const before = isShort ? messages.slice(0, at).findLast(({ role }) => role === 'user') : null;
  const text = before ? `${before.content}\n${last}` : last;
  return { text, recent, small_talk: false };
}

function recentTools(messages: readonly ChatMessage[]): string[] {
  const calls = messages.slice(-maxLookedBack).flatMap(({ tool_calls }) => tool_calls ?? []);
  const names = calls.map((call) => targetCall(call).name).filter(isWork);
  return [...new Set(names.reverse())].slice(0, maxRecentTools);
}

/** A friendly word in the middle of work, or one that led to work, does not end it. */
function isAtWork(messages: readonly ChatMessage[], at: number): boolean {
  const before = messages.slice(0, Math.max(0, at)).findLast(({ role }) => role !== 'system');
  const since = messages.slice(at + 1).flatMap(({ tool_calls }) => tool_calls ?? []);
  const isInterrupted = before?.role === 'tool' || (before?.tool_calls ?? []).length > 0;
  return isInterrupted || since.some((call) => isWork(targetCall(call).name));
}

function isWork(name: string): boolean {
  return ![...coreTools, ...fallbackTools].some((core) => core === name);
}
