import { type ToolCall, toolCallSchema } from '@loom/shared/chat';
import { firstLine } from '@loom/shared/text';
import { z } from 'zod';
import { plainText } from './plain-text.ts';
import { renderTaskEvent } from './render-task-event.ts';
import { numberOf, type StreamEvent, textOf } from './stream-event.ts';
import type { Terminal } from './terminal.ts';
import { createTextFlow, type TextFlow } from './text-flow.ts';

const messageSchema = z.object({
  role: z.string(),
  content: z.string(),
  tool_calls: z.array(toolCallSchema).nullish(),
  tool_name: z.string().nullish(),
});

const questionSchema = z.object({
  question: z.string(),
  options: z.array(z.string()).default([]),
});

/** Shows a conversation as it happens: text as it is written, tool calls, delegated work. */
export function createChatView(terminal: Terminal): (event: StreamEvent) => void {
  const { colors } = terminal;
  let turn: string | null = null;
  let flow: TextFlow = createTextFlow();

  const flowOf = (event: StreamEvent): TextFlow => {
    const id = event.turn_id ?? (textOf(event, 'turn_id') || turn);
    if (id !== turn) flow = createTextFlow();
    turn = id;
    return flow;
  };

  const showCall = (call: ToolCall) => {
    const question = call.name === 'ask_user' ? questionSchema.safeParse(call.arguments) : null;
    if (question?.success) {
      terminal.print(question.data.question);
      for (const option of question.data.options) terminal.print(`  - ${option}`);
    } else {
      terminal.note(colors.cyan(`→ ${renderCall(call)}`));
    }
  };

  const showMessage = (event: StreamEvent) => {
    const message = messageSchema.safeParse(event.data);
    if (!message.success) return;
    const { role, content, tool_calls, tool_name } = message.data;
    if (role === 'assistant') {
      terminal.write(flowOf(event).message(content));
      if (content !== '') terminal.write('\n');
      for (const call of tool_calls ?? []) showCall(call);
    } else if (role === 'tool') {
      const line = plainText(firstLine(content, 100));
      terminal.note(colors.dim(`← ${plainText(tool_name ?? 'tool')}: ${line}`));
    }
  };

  return (event) => {
    terminal.emit(event);
    if (event.type === 'message.delta' || event.type === 'message.snapshot') {
      const piece = {
        call: numberOf(event, 'call') ?? 0,
        offset: numberOf(event, 'offset') ?? 0,
        text: textOf(event, 'text'),
      };
      terminal.write(flowOf(event).piece(piece));
    } else if (event.type === 'message.appended') {
      showMessage(event);
    } else {
      const line = renderTaskEvent(event, colors);
      if (line !== null) terminal.note(indent(line));
    }
  };
}

function renderCall(call: ToolCall): string {
  const text = JSON.stringify(call.arguments) ?? '';
  return plainText(`${call.name} ${text.length <= 100 ? text : `${text.slice(0, 99)}…`}`);
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
