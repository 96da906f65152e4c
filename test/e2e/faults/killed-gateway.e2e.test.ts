import { type Cluster, startCluster } from '@loom/testing/cluster';
import type { StreamedEvent } from '@loom/testing/event-stream';
import { checkInvariants } from '@loom/testing/invariants';
import { text } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import type { Transcript } from '@loom/testing/transcript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultCount, seededChoice } from './fault-counts.ts';
import { liveText } from './live-text.ts';
import { sayAndFollow } from './say-and-follow.ts';

const chatCount = faultCount({ short: 10, full: 100 });
const pieceCount = 40;
const patienceMs = faultCount({ short: 60_000, full: 180_000 });
let model: ScriptedModel;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  cluster = await startCluster({ model, gateways: 2 });
}, 120_000);
afterAll(() => cluster.stop());

/** A door in the middle of an answer and one before its end. */
function door() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** What the model answers in a chat, piece by piece; its characters have one to four bytes. */
function answerPieces(question: string): string[] {
  return Array.from({ length: pieceCount }, (_, piece) => `${question}·${piece} 漢字 😀\n`);
}

/** One conversation as its clients see it. */
interface Chat {
  session_id: string;
  first: Transcript;
  second: Transcript | null;
  follower: Transcript;
}

const turnOf = (transcript: Transcript | null) => transcript?.events[0]?.turn_id ?? '';

test('R03: a gateway killed while chats stream costs no client a word and repeats no message', async () => {
  const choose = seededChoice('R03');
  const { client, database } = cluster;
  const middle = door();
  const end = door();
  model.on({ lastUser: /^first/ }, ({ lastUserText }) =>
    text('', {
      chunks: answerPieces(lastUserText),
      beforePiece(sent) {
        if (sent === 1 + pieceCount / 2) return middle.opened;
        return sent === 1 + pieceCount ? end.opened : undefined;
      },
    }),
  );
  model.useWorkingBrain();

  const chats = await Promise.all(
    Array.from({ length: chatCount }, async (_, index): Promise<Chat> => {
      const { id } = await client.createSession();
      const follower = client.follow('session', id);
      const first = sayAndFollow(cluster, id, `first ${index}`);
      return { session_id: id, first, second: null, follower };
    }),
  );
  const everyFirstShows = (pieces: number) =>
    Promise.all(
      chats.map(async ({ first, follower }, index) => {
        const wanted = answerPieces(`first ${index}`).slice(0, pieces).join('');
        // In this order: the turn is known by the one who began it.
        for (const { when, live } of [first, follower]) {
          await when(() => liveText(live, turnOf(first)) === wanted, patienceMs);
        }
      }),
    );
  await everyFirstShows(pieceCount / 2);

  // While it dies, it also has messages under way: unread, uncommitted, or not yet answered.
  const answered = chats.map((chat, index) => {
    chat.second = sayAndFollow(cluster, chat.session_id, `second ${index}`);
    const { events, when } = chat.second;
    return when(() => events.length > 0, patienceMs);
  });
  await answered[choose(chatCount)];
  const [doomed] = cluster.of('gateway');
  doomed?.kill('SIGKILL');
  await doomed?.exited;
  middle.open();
  await everyFirstShows(pieceCount);
  await Promise.all(answered);
  end.open();

  for (const { session_id, first, second } of chats) {
    for (const told of [first, second]) {
      const turn_id = turnOf(told);
      const turn = await client.waitForTurn(session_id, turn_id, { timeoutMs: patienceMs });
      expect(turn.status).toBe('completed');
      await told?.when(() => told.events.at(-1)?.type === 'turn.completed', patienceMs);
      expect(told?.events.map(stored)).toEqual(
        await database.rows(
          'SELECT seq, type, data FROM session_events WHERE turn_id = $1 ORDER BY seq',
          [turn_id],
        ),
      );
    }
  }
  const messages = await database.rows<{ session_id: string; role: string; content: string }>(
    `SELECT session_id, role, content FROM messages WHERE session_id = ANY($1)
     ORDER BY session_id, number`,
    [chats.map(({ session_id }) => session_id)],
  );
  const expected = chats.flatMap(({ session_id }, index) => {
    const answers = [answerPieces(`first ${index}`).join(''), `You said: second ${index}`];
    return [
      { session_id, role: 'user', content: `first ${index}` },
      { session_id, role: 'user', content: `second ${index}` },
      ...answers.map((content) => ({ session_id, role: 'assistant', content })),
    ];
  });
  expect(messages).toEqual(expected.sort((a, b) => (a.session_id < b.session_id ? -1 : 1)));
  const transcripts = chats.map(({ follower }) => follower);
  await checkInvariants({ ...cluster, transcripts });
}, 600_000);

const stored = ({ seq, type, data }: StreamedEvent) => ({ seq, type, data });
