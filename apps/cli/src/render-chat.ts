import type { ToolCall } from '@loom/shared/chat';
import type { OpenQuestions } from './chat/open-questions.ts';
import {
  renderCall,
  renderResult,
  renderSaid,
  renderUserQuestion,
  shownMessageSchema,
} from './chat/render-message.ts';
import { renderQuestion } from './chat/render-question.ts';
import { createTaskCounts, type TaskCounts } from './chat/task-counts.ts';
import { renderTaskEvent } from './render-task-event.ts';
import { numberOf, type StreamEvent, textOf } from './stream-event.ts';
import type { Terminal } from './terminal.ts';
import { createTextFlow, type TextFlow } from './text-flow.ts';

interface ChatViewOptions {
  /** Given where questions can be answered: they are shown with their numbers. */
  questions?: OpenQuestions;
  counts?: TaskCounts;
  /** Whether a user's message came from elsewhere and is not on the screen yet. */
  isNews?: (messageNumber: number) => boolean;
}

const counted = ['subtask.started', 'subtask.completed', 'subtask.failed', 'subtask.skipped'];
const taskEndings = ['task.completed', 'task.failed', 'task.cancelled'];

/** Shows a conversation as it happens: text as it is written, tool calls, delegated work. */
export function createChatView(
  terminal: Terminal,
  options: ChatViewOptions = {},
): (event: StreamEvent) => void {
  const { colors } = terminal;
  const { questions, counts = createTaskCounts(), isNews = () => false } = options;
  let turn: string | null = null;
  let flow: TextFlow = createTextFlow();

  const flowOf = (event: StreamEvent): TextFlow => {
    const id = event.turn_id ?? (textOf(event, 'turn_id') || turn);
    if (id !== turn) flow = createTextFlow();
    turn = id;
    return flow;
  };

  const showCall = (call: ToolCall) => {
    const question = renderUserQuestion(call);
    if (question === null) terminal.note(colors.cyan(renderCall(call)));
    else terminal.print(question);
  };

  const showMessage = (event: StreamEvent) => {
    const message = shownMessageSchema.safeParse(event.data);
    if (!message.success) return;
    const { role, content, tool_calls, tool_name, number } = message.data;
    if (role === 'assistant') {
      terminal.write(flowOf(event).message(content));
      if (content !== '') terminal.write('\n');
      for (const call of tool_calls ?? []) showCall(call);
    } else if (role === 'tool') {
      terminal.note(colors.dim(renderResult(tool_name, content)));
    } else if (role === 'user' && isNews(number ?? 0)) {
      terminal.note(renderSaid(content, colors));
    }
  };

  const showRest = (event: StreamEvent) => {
    counts.hear(event);
    const question = questions?.hear(event) ?? null;
    if (question !== null) {
      terminal.note(renderQuestion(question, questions?.list().length === 1, colors));
      return;
    }
    const line = renderTaskEvent(event, colors);
    if (line !== null) terminal.note(`${indent(line)}${colors.dim(progress(event, counts))}`);
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
      showRest(event);
    }
  };
}

/** How far an event's task is, where that is news. */
function progress(event: StreamEvent, counts: TaskCounts): string {
  const count = counts.of(event.task_id ?? '');
  if (count === null) return '';
  if (counted.includes(event.type)) return ` [${count.ended}/${count.all}]`;
  if (!taskEndings.includes(event.type)) return '';
  const { files_changed: files } = event.data;
  const changed =
    Array.isArray(files) && files.length > 0 ? `, files changed: ${files.length}` : '';
  return ` (${count.ended} of ${count.all} subtasks ended${changed})`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
