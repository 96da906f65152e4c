import type { ChatMessage } from '@loom/shared/chat';
import { type DemoAnswer, type DemoQuestion, say } from './demo-answer.ts';
import { reportDelegation } from './report-delegation.ts';
import { looksLikeWork, splitGoal } from './split-goal.ts';

const introduction = [
  'Hello! I am the built-in demo model of Loom: a fixed program, not an AI.',
  'I can show how a conversation hands work to planner, runners and verifier.',
  'Try: "Write a haiku about rain and a limerick about tea".',
  'To talk to a real model, configure one in loom.toml or set ANTHROPIC_API_KEY or OPENAI_API_KEY.',
].join(' ');

const recallRequest =
  /\b(?:what did (?:i|we|you) (?:say|tell|decide|mention|write)|(?:do you )?remember|recall|as i said)\b[\s,]*(?:you|me|about|that|what|i said|on|to)*\s*/i;

/** The demo's side of a conversation: delegates work, recalls when asked, else introduces itself. */
export function coworkReply({ messages, tools }: DemoQuestion): DemoAnswer {
  const asked = messages.findLastIndex(isFromUser);
  const request = messages[asked]?.content.trim() ?? '';
  const results = messages.slice(asked + 1).filter(({ role }) => role === 'tool');
  const done = results.at(-1);
  if (done !== undefined) return say(report(toolOf(done, messages), done.content));
  if (recallRequest.test(request) && tools.has('conversation_recall')) {
    const query = recallQuery(request);
    return {
      text: 'Let me look that up in our conversation.',
      calls: [{ name: 'conversation_recall', arguments: { action: 'search', query } }],
    };
  }
  if (!looksLikeWork(request)) return say(introduction);
  if (!tools.has('delegate_task')) {
    return say('I am the built-in demo model, not an AI, and I cannot delegate work here.');
  }
  const count = splitGoal(request).length;
  const parts = count === 1 ? 'one piece of work' : `${count} pieces of work, side by side`;
  return {
    text: `I will delegate this as ${parts}. `,
    calls: [{ name: 'delegate_task', arguments: { goal: request } }],
  };
}

function isFromUser({ role, content }: ChatMessage): boolean {
  return role === 'user' && !content.startsWith('[System]');
}

function toolOf(result: ChatMessage, messages: readonly ChatMessage[]): string {
  const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []);
  return result.tool_name ?? calls.find(({ id }) => id === result.tool_call_id)?.name ?? '';
}

function report(tool: string, text: string): string {
  if (tool === 'delegate_task') return reportDelegation(text);
  if (tool === 'conversation_recall') return `This is what I found in our conversation:\n\n${text}`;
  return `The tool answered:\n\n${text}`;
}

function recallQuery(request: string): string {
  const rest = request.replace(recallRequest, ' ').replaceAll(/[?!.,"]/g, ' ');
  return rest.replaceAll(/\s+/g, ' ').trim() || request;
}
