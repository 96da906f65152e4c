import type { Message, Session } from '@loom/shared/api';
import { firstLine } from '@loom/shared/text';
import type { ExportForm } from './export-form.ts';
import { fencedBlock } from './fenced-block.ts';

/** A transcript for people: a heading for each message, words as quotes, calls and results as code. */
export const markdownForm: ExportForm = {
  content_type: 'text/markdown; charset=utf-8',
  extension: 'md',
  head: (session) => `${headOf(session).join('\n\n')}\n`,
  message: (message) => `\n${partsOf(message).join('\n\n')}\n`,
};

const maxTitle = 200;

function headOf(session: Session): string[] {
  const facts = [
    `Session: ${session.id} (${session.status})`,
    `Workspace: ${session.workspace ?? 'none'}`,
    `Begun: ${session.created_at}`,
    `Last activity: ${session.updated_at}`,
    `Messages: ${session.message_count}`,
  ];
  const title = firstLine(session.title, maxTitle) || session.id;
  return [`# ${oneLine(title)}`, facts.map((fact) => `- ${oneLine(fact)}`).join('\n')];
}

function partsOf(message: Message): string[] {
  const heading = `## ${message.number}. ${oneLine(titleOf(message))}`;
  const when = `*${message.created_at}*`;
  if (message.role === 'tool') return [heading, when, fencedBlock(message.content)];
  const said = message.content === '' ? [] : [quote(message.content)];
  const calls = (message.tool_calls ?? []).flatMap((call) => [
    `Calls ${oneLine(call.name)}:`,
    fencedBlock(JSON.stringify(call.arguments, null, 2), 'json'),
  ]);
  return [heading, when, ...said, ...calls];
}

const speakers = { system: 'System', user: 'User', assistant: 'Assistant' } as const;

function titleOf({ role, tool_name }: Message): string {
  return role === 'tool' ? `Result of ${tool_name ?? 'a tool'}` : speakers[role];
}

/** As a quote, since a quote ends whatever was opened in it: a fence, a comment, a list. */
function quote(text: string): string {
  return `> ${text.replaceAll(/\r\n|\n|\r/g, '$&> ')}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
