import { assertNever } from '@loom/shared/assert-never';
import type { ChatMessage, ChatRole } from '@loom/shared/chat';
import type { Provider, ProviderCall } from '../provider.ts';
import { coworkReply } from './cowork-reply.ts';
import { type DemoAnswer, say } from './demo-answer.ts';
import { executeReply } from './execute-reply.ts';
import { planReply } from './plan-reply.ts';
import { readBlock } from './read-block.ts';
import { verifyReply } from './verify-reply.ts';

/** The built-in model: a fixed program that drives the tools, so that Loom can be tried without a key. */
export const demoProvider: Provider = async (call) => {
  const { text, calls } = answer(call);
  if (call.on_delta !== undefined) {
    for (const [piece] of text.matchAll(/(?:\S+\s*){1,3}|\s+/g)) {
      call.signal.throwIfAborted();
      call.on_delta(piece);
    }
  }
  const earlier = call.messages.reduce((sum, { tool_calls }) => sum + (tool_calls?.length ?? 0), 0);
  const tool_calls = calls.map((one, index) => ({ id: `demo-${earlier + index + 1}`, ...one }));
  return { text, tool_calls, usage: {} };
};

function answer({ role, messages, tools }: ProviderCall): DemoAnswer {
  const prompt = [...ofRole(messages, 'user'), ...ofRole(messages, 'system')].join('\n\n');
  const question = { messages, prompt, tools: new Set(tools.map(({ name }) => name)) };
  switch (role) {
    case 'cowork':
      return coworkReply(question);
    case 'planner': {
      const goal = readBlock(prompt, 'GOAL') ?? ofRole(messages, 'user').at(-1) ?? '';
      return say(planReply(goal, prompt));
    }
    case 'executor':
      return executeReply(question);
    case 'verifier':
      return say(verifyReply(prompt));
    case 'extractor':
      return say('{"entries": []}');
    default:
      return assertNever(role);
  }
}

function ofRole(messages: readonly ChatMessage[], role: ChatRole): string[] {
  return messages.filter((message) => message.role === role).map(({ content }) => content);
}
