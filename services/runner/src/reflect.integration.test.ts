import { openDatabase } from '@loom/db/database';
import { loadLearnedRules } from '@loom/db/learned/load-learned-rules';
import { openTurnWorld, type TurnWorld } from '@loom/db/test-support/turn-world';
import { learnedSection } from '@loom/engine/reflection/learned-section';
import { createLogger } from '@loom/shared/logger';
import { beforeAll, expect, test } from 'vitest';
import { reflectOnTurn } from './reflect.ts';

let world: TurnWorld;
beforeAll(async () => {
  world = await openTurnWorld();
});

const warned: string[] = [];
const logger = { warn: (_: object, text: string) => void warned.push(text) };

/** Says something in a session, has it answered, and reflects on it. */
async function say(session_id: string, content: string, answer = 'Done.'): Promise<string> {
  const turn = await world.begin(session_id, content);
  await world.commit(turn, {
    messages: [{ role: 'assistant', content: answer }],
    input: { kind: 'finished' },
  });
  await reflectOnTurn(world.database, { tenant_id: 'default', ...turn }, logger);
  return turn.turn_id;
}

const rulesIn = (workspace: string | null) =>
  loadLearnedRules(world.database, { tenant_id: 'default', workspace });

test('a correction is read back in other sessions of its workspace, and nowhere else', async () => {
  const session = await world.newSession('default', { workspace: '/a' });
  await say(session, 'Never use tabs.');
  expect(await rulesIn('/a')).toEqual([]);
  await say(session, "No, don't use tabs. Also always run the tests.");
  await say(session, 'Thanks! Now write the report.');
  expect((await rulesIn('/a')).toSorted()).toEqual(['Always run the tests.', "Don't use tabs."]);
  expect(await rulesIn('/b')).toEqual([]);
  expect(learnedSection(await rulesIn('/a'))).toContain("\n- Don't use tabs.");
});

test('what is said again counts again, and a turn that is told twice counts once', async () => {
  const session = await world.newSession('default', { workspace: '/c' });
  await say(session, 'hello');
  await say(session, 'Stop apologising.');
  const turn_id = await say(session, 'Please stop using emojis.');
  await say(session, 'I said no emojis!');
  const again = { tenant_id: 'default', session_id: session, turn_id };
  await Promise.all([1, 2].map(() => reflectOnTurn(world.database, again, logger)));
  const rows = await world.rows(
    `SELECT rule, times FROM learned_rules WHERE workspace = '/c' ORDER BY times DESC`,
  );
  expect(rows).toEqual([
    { rule: 'No emojis.', times: 2 },
    { rule: 'Stop apologising.', times: 1 },
  ]);
  expect(await rulesIn('/c')).toEqual(['No emojis.', 'Stop apologising.']);
});

test('what is said twice in a turn counts once', async () => {
  const session = await world.newSession('default', { workspace: '/e' });
  await say(session, 'hello');
  const turn = await world.begin(session, 'No, use tabs.');
  await world.commit(turn, {
    messages: [
      { role: 'assistant', content: 'Working on it.' },
      { role: 'user', content: 'Always use tabs!' },
      { role: 'assistant', content: 'Done.' },
    ],
    input: { kind: 'finished' },
  });
  await reflectOnTurn(world.database, { tenant_id: 'default', ...turn }, logger);
  expect(await world.rows(`SELECT rule, times FROM learned_rules WHERE workspace = '/e'`)).toEqual([
    { rule: 'Always use tabs.', times: 1 },
  ]);
});

test('an answer to a question of the assistant is no correction', async () => {
  const session = await world.newSession('default', { workspace: '/d' });
  await say(session, 'hello', 'Shall I use tabs?');
  await say(session, 'No, use spaces.');
  expect(await rulesIn('/d')).toEqual([]);
});

test('a database that is gone leaves a line in the log and no error', async () => {
  const gone = await openDatabase({
    url: world.url,
    pool_size: 1,
    application_name: 'reflect-test',
    logger: createLogger({ level: 'silent', name: 'test' }),
  });
  await gone.close();
  await reflectOnTurn(gone, { tenant_id: 'default', session_id: 's', turn_id: 't' }, logger);
  expect(warned).toEqual(['not learnt from this turn']);
});
