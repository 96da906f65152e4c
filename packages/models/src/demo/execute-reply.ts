import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import { type DemoAnswer, type DemoQuestion, say } from './demo-answer.ts';
import { fileContent, signature } from './file-content.ts';
import { readBlock, readPaths } from './read-block.ts';
import { titleOf } from './title-of.ts';

/** The demo executor: reads the inputs, writes the deliverables, then says what it wrote. */
export function executeReply({ messages, prompt, tools }: DemoQuestion): DemoAnswer {
  const subtask = readBlock(prompt, 'SUBTASK') ?? 'the subtask';
  const deliverables = readPaths(prompt, 'DELIVERABLES');
  const inputs = readPaths(prompt, 'INPUTS');
  const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []);

  const unread = inputs.filter((path) => !hasCall(calls, 'read_file', path));
  const unwritten = deliverables.filter((path) => !hasCall(calls, 'write_file', path));
  if (unwritten.length > 0 && unread.length > 0 && tools.has('read_file')) {
    const reads = unread.map((path) => ({ name: 'read_file', arguments: { path } }));
    return { text: 'Reading the inputs first.', calls: reads };
  }
  if (unwritten.length > 0 && tools.has('write_file')) {
    const title = titleOf(subtask);
    const writes = unwritten.map((path) => {
      const content =
        inputs.length > 0 && path.endsWith('.md')
          ? summaryContent(title, inputs, calls, messages)
          : fileContent(path, title);
      return { name: 'write_file', arguments: { path, content } };
    });
    return { text: `Writing ${unwritten.join(', ')}.`, calls: writes };
  }
  const missing = unwritten.length > 0;
  const text = missing
    ? `I could not write ${unwritten.join(', ')}: no write_file.`
    : deliverables.length > 0
      ? `Wrote ${deliverables.join(', ')}.`
      : `No file was asked for, so this text is the result of: ${subtask}\n\n${signature}`;
  return say(prompt.includes('```completion') ? `${text}\n\n${block(text, missing)}` : text);
}

function block(summary: string, missing: boolean): string {
  const status = missing ? 'blocked' : 'done';
  return `\`\`\`completion\n${JSON.stringify({ status, summary })}\n\`\`\``;
}

function hasCall(calls: readonly ToolCall[], name: string, path: string): boolean {
  return calls.some((call) => call.name === name && pathOf(call) === path);
}

function pathOf({ arguments: input }: ToolCall): unknown {
  return input !== null && typeof input === 'object' && !Array.isArray(input) ? input.path : null;
}

function summaryContent(
  title: string,
  inputs: readonly string[],
  calls: readonly ToolCall[],
  messages: readonly ChatMessage[],
): string {
  const lines = inputs.map((path) => {
    const call = calls.find((one) => one.name === 'read_file' && pathOf(one) === path);
    const result = messages.find(({ tool_call_id }) => call && tool_call_id === call.id);
    return `- ${path}: ${firstWords(result?.content ?? '') || 'not read'}`;
  });
  return `# ${title}\n\n${lines.join('\n')}\n\n---\n${signature}\n`;
}

// The first line of prose; read_file may number its lines.
function firstWords(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^\s*\d+[\t|:→]\s?/, '').trim());
  return (lines.find((line) => /[A-Za-z]/.test(line)) ?? '').replace(/^#+\s*/, '').slice(0, 120);
}
