import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TurnAccepted } from '@loom/shared/api';
import type { Cluster } from '@loom/testing/cluster';
import type { EffectRecorder } from '@loom/testing/effect-recorder';
import {
  type Reply,
  type ScriptedCall,
  text,
  toolCalls,
} from '@loom/testing/scripted-model/replies';
import type { ScriptedRequest } from '@loom/testing/scripted-model/request';
import type { ScriptedModel } from '@loom/testing/scripted-model-server';
import type { Transcript } from '@loom/testing/transcript';

/** A conversation that was held to its end. */
export interface HeldConversation {
  session_id: string;
  /** In the order in which they were begun. */
  turn_ids: string[];
  workspace: string;
  transcript: Transcript;
}

const said = {
  first: 'Never touch b.txt. Bring the notes in order.',
  second: 'Which file is off limits? Then have the index made.',
  answer: 'blue',
  third: 'What came of the index?',
};

/** Calls that are not repeated after a crash but in doubt, by id; the label is that of the effect. */
export const effectfulCalls = { run: 'ran', edit: 'notes.md', gated: 'cleared' } as const;

/** What the gated call takes away. */
export const clearedDirectory = 'build';

/** Lets a model hold the conversation: what it says follows from what it is shown, however often it is asked. */
export function scriptConversation(model: ScriptedModel, recorder: EffectRecorder): void {
  const steps = conversationSteps(recorder);
  // Without tools of their own, so that every tool of the conversation is one of its turns.
  model.useWorkingBrain({ subtasks: (goal) => [{ id: 'only', description: `Do this: ${goal}` }] });
  model.on('cowork', (request) => {
    const step = steps[request.lastUserText]?.[stepOf(request)];
    return step?.(request) ?? text(`Nothing is known of step ${stepOf(request)}.`);
  });
}

/** How often the model has answered since the user last said something. */
function stepOf({ messages }: ScriptedRequest): number {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(asked).filter(({ role }) => role === 'assistant').length;
}

type Step = (request: ScriptedRequest) => Reply;

function conversationSteps(recorder: EffectRecorder): Record<string, Step[]> {
  return {
    [said.first]: [
      () =>
        toolCalls(
          [
            call('read-a', 'read_file', { path: 'a.txt' }),
            call('read-c', 'read_file', { path: 'c.txt' }),
            call('list', 'list_directory', {}),
            call('write', 'write_file', { path: 'notes.md', content: 'one\ntwo\n' }),
            call('run', 'shell_execute', { command: recorder.command(effectfulCalls.run) }),
          ],
          { text: 'Reading first.' },
        ),
      () =>
        toolCalls([
          call('plan', 'create_todo', { items: [{ title: 'Order them' }, { title: 'Clear up' }] }),
          call('decide', 'record_decision', { decision: 'Notes are kept in notes.md.' }),
        ]),
      (request) =>
        toolCalls([
          call('edit', 'edit_file', { path: 'notes.md', old_str: 'two', new_str: 'three' }),
          completion('done-1', request, 0),
        ]),
      () =>
        toolCalls([
          call('gated', 'shell_execute', {
            command: `rm -rf ${clearedDirectory} && ${recorder.command(effectfulCalls.gated)}`,
          }),
        ]),
      (request) => toolCalls([completion('done-2', request, 1), call('todos', 'list_todo', {})]),
      () => toolCalls([call('ask', 'ask_user', { question: 'Which colour?' })]),
    ],
    [said.answer]: [
      () => toolCalls([call('wait', 'delegate_task', { goal: 'paint the cover blue' })]),
      () => text('The notes are in order, and the cover is blue.', { chunks: 6 }),
    ],
    [said.second]: [
      () =>
        toolCalls([
          call('recall', 'conversation_recall', { action: 'search', query: 'never touch' }),
        ]),
      () => toolCalls([call('later', 'delegate_task', { goal: 'make the index', wait: false })]),
      () => text('b.txt is off limits, and the index is being made.'),
    ],
    [said.third]: [
      ({ messages }) => {
        const isTold = messages.some(({ content }) => content.includes('has ended'));
        return text(isTold ? 'The index is made.' : 'Nobody told me.');
      },
    ],
  };
}

function call(id: string, name: string, args: object): ScriptedCall {
  return { id, name, arguments: { ...args } };
}

function completion(id: string, { messages }: ScriptedRequest, index: number): ScriptedCall {
  const created = messages.find(({ tool_call_id }) => tool_call_id === 'plan')?.content ?? '';
  const todo_id = created.match(/todo_\w+/g)?.[index] ?? 'none';
  return call(id, 'complete_todo', { todo_id, outcome: 'Done.' });
}

/** Holds the whole conversation as a person would, who does not know of any fault. */
export async function holdConversation(
  { client, newWorkspace }: Cluster,
  model: ScriptedModel,
): Promise<HeldConversation> {
  const workspace = await newWorkspace();
  await mkdir(join(workspace, clearedDirectory));
  for (const name of ['a.txt', 'c.txt'])
    await writeFile(join(workspace, name), `This is ${name}.\n`);
  const { id } = await client.createSession({ workspace });
  const transcript = client.follow('session', id);
  const ended = ({ turn_id }: TurnAccepted) =>
    client.waitForTurn(id, turn_id, { timeoutMs: 60_000 });

  // The second message comes while the first is worked on, the cover is painted when the turn waits
  // for it, and the index is made when both turns have ended: so the order is always the same.
  const opening = model.hold((request) => request.lastUserText === said.first);
  const cover = model.hold({ role: 'executor', prompt: 'paint the cover blue' });
  const index = model.hold({ role: 'executor', prompt: 'make the index' });
  const first = await client.sendTurn(id, said.first);
  await opening.arrived;
  const second = await client.sendTurn(id, said.second);
  opening.release();

  await untilEvent(transcript, 'turn.awaiting_approval');
  const [approval] = await client.listApprovals({ session_id: id });
  await client.decideApproval(approval?.id ?? 'none was asked for', 'approve');
  await ended(first);
  await client.sendTurn(id, said.answer);
  await untilEvent(transcript, 'turn.awaiting_task');
  cover.release();
  await ended(first);
  await ended(second);
  index.release();
  await untilEvent(transcript, 'task.completed', 2);
  const third = await client.sendTurn(id, said.third);
  await ended(third);
  const turn_ids = [first, second, third].map(({ turn_id }) => turn_id);
  return { session_id: id, turn_ids, workspace, transcript };
}

/** Waits until the session has told of so many such events. */
async function untilEvent(transcript: Transcript, type: string, count = 1): Promise<void> {
  for (;;) {
    const found = transcript.events.filter((event) => event.type === type);
    if (found.length >= count) return;
    await transcript.reached((transcript.events.at(-1)?.seq ?? 0) + 1, 60_000);
  }
}
