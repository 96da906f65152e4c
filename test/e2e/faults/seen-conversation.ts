import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message, Session, Task } from '@loom/shared/api';
import type { Approval } from '@loom/shared/approval';
import type { Todo } from '@loom/shared/todo';
import type { Cluster } from '@loom/testing/cluster';
import type { Effect } from '@loom/testing/effect-recorder';
import type { StreamedEvent } from '@loom/testing/event-stream';
import { clearedDirectory, effectfulCalls, type HeldConversation } from './rich-conversation.ts';

/** All that a person could see of a conversation; ids stand for when they were first seen. */
export interface SeenConversation {
  messages: Omit<Message, 'token_count' | 'created_at'>[];
  /** Event types in order, for each turn and each task. */
  events: Record<string, string[]>;
  /** What calls with an effect did to the world, by the call's id. */
  effects: Record<string, unknown>;
  /** Effects that were recorded more than once, which no doubt excuses. */
  repeated: string[];
  files: string[];
  /** Calls of which it is not known whether they took effect. */
  doubted: string[];
  turns: unknown[];
  todos: unknown[];
  state: unknown;
  tasks: unknown[];
  approvals: unknown[];
}

/** These tell of the recovery itself, or of how long something took. */
const notCompared = ['turn.recovered', 'run.recovered', 'tool.progress'];
const inDoubt = /^It is not known whether this call took effect/;

/** Looks at a conversation from every side that the API shows, and at what it did. */
export async function seeConversation(
  { client }: Cluster,
  { session_id, turn_ids, workspace, transcript }: HeldConversation,
  recorded: Effect[],
): Promise<SeenConversation> {
  const list = async <T>(path: string) => ((await client.get(path)) as { items: T[] }).items;
  const of = `/api/sessions/${session_id}`;
  const { state } = (await client.get(of)) as Session;
  const found = await list<Message>(`${of}/messages?limit=200`);
  const turns = await Promise.all(turn_ids.map((id) => client.getTurn(session_id, id)));
  const todos = await Promise.all(turn_ids.map((id) => list<Todo>(`${of}/todos?turn_id=${id}`)));
  const listed = await list<Task>(`/api/tasks?session_id=${session_id}`);
  const tasks = await Promise.all(listed.map(({ id }) => client.getTask(id)));
  const approvals = await list<Approval>(`/api/approvals?session_id=${session_id}`);
  const messages = found.map(({ token_count: _, created_at: __, ...message }) => message);
  const names = await readdir(workspace);
  const countOf = (wanted: string) =>
    recorded.filter(({ key, label }) => {
      return label === wanted && turn_ids.some((id) => key.startsWith(id));
    }).length;
  const seen: SeenConversation = {
    messages,
    events: eventTypes(transcript.events),
    effects: {
      run: countOf(effectfulCalls.run),
      gated: [countOf(effectfulCalls.gated), names.includes(clearedDirectory)],
      edit: await readFile(join(workspace, effectfulCalls.edit), 'utf8'),
    },
    repeated: Object.values(effectfulCalls).filter((label) => countOf(label) > 1),
    files: names.filter((name) => name !== clearedDirectory).sort(),
    doubted: messages.flatMap(({ content, tool_call_id }) =>
      inDoubt.test(content) && tool_call_id !== null ? [tool_call_id] : [],
    ),
    turns: turns.map(({ id, status, error, messages: own }) => {
      return { id, status, error, messages: own.map(({ number }) => number) };
    }),
    todos: todos.flat().map(({ id, turn_id, title, status, outcome, priority }) => {
      return { id, turn_id, title, status, outcome, priority };
    }),
    state,
    tasks: tasks.map(({ id, turn_id, goal, status, verification, context, summary, subtasks }) => {
      const done = subtasks.map(({ attempts, ...one }) => ({ ...one, attempts: attempts.length }));
      return { id, turn_id, goal, status, verification, context, summary, subtasks: done };
    }),
    approvals: approvals.map(({ tool, status, arguments: args }) => ({ tool, status, args })),
  };
  return withPlainIds(seen, workspace);
}

function eventTypes(events: StreamedEvent[]): Record<string, string[]> {
  const byOwner: Record<string, string[]> = {};
  for (const { type, task_id, turn_id } of events) {
    if (notCompared.includes(type)) continue;
    const owner = task_id ?? turn_id ?? 'session';
    const types = byOwner[owner] ?? [];
    byOwner[owner] = types;
    // A verifier that takes a result up again says so in the words of the first.
    if (type === 'verification.started' && types.at(-1) === type) continue;
    // Where the end of a call is in doubt, this is told instead of its result.
    types.push(type === 'tool.in_doubt' ? 'tool.result' : type);
  }
  return byOwner;
}

/** Two conversations have other ids and another workspace, and nothing else. */
function withPlainIds<T>(seen: T, workspace: string): T {
  const known = new Map<string, string>();
  const plain = JSON.stringify(seen)
    .replaceAll(workspace, '/workspace')
    .replaceAll(/\b(ses|turn|task|todo|apr)_[0-9a-z]{26}/g, (id, kind: string) => {
      const name = known.get(id) ?? `${kind} ${known.size + 1}`;
      known.set(id, name);
      return name;
    });
  return JSON.parse(plain) as T;
}

/** What is left when the answers to some calls, and what those calls did, are not looked at. */
export function exceptFor(seen: SeenConversation, calls: readonly string[]) {
  const { doubted: _, ...rest } = seen;
  const messages = seen.messages.map((message) =>
    calls.includes(message.tool_call_id ?? '') ? { ...message, content: '' } : message,
  );
  const effects = Object.entries(seen.effects).filter(([id]) => !calls.includes(id));
  return { ...rest, messages, effects: Object.fromEntries(effects) };
}
