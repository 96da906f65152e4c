import { recallMessages } from '@loom/db/recall';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCorpus } from './make-corpus.ts';
import { makeQuestions, makeUnanswerable } from './make-questions.ts';

const corpus = makeCorpus(41, 5_000);
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.rows(`INSERT INTO tenants (id) VALUES ('t')`);
  await database.rows(`INSERT INTO sessions (id, tenant_id) VALUES ('ses_1', 't')`);
  const rows = corpus.map(({ fact: _, ...row }) => row);
  await database.rows(
    `INSERT INTO messages (session_id, tenant_id, number, role, content, tool_name)
     SELECT 'ses_1', 't', number, role, content, tool_name FROM jsonb_to_recordset($1::jsonb)
       AS row(number int, role text, content text, tool_name text)`,
    [JSON.stringify(rows)],
  );
  await database.rows('ANALYZE messages');
});
afterAll(() => database.drop());

const search = (query: string) =>
  recallMessages(database.database, {
    tenant_id: 't',
    session_id: 'ses_1',
    request: { action: 'search', query, limit: 10 },
  });

it('finds what was said among the first three: 95 of 100 questions at least', async () => {
  const tally = new Map<string, { asked: number; found: number }>();
  const missed: string[] = [];
  for (const { kind, query, answers } of makeQuestions(43, corpus)) {
    const { matches } = await search(query);
    const count = tally.get(kind) ?? { asked: 0, found: 0 };
    const isFound = matches.slice(0, 3).some(({ number }) => answers.includes(number));
    if (!isFound) missed.push(`${kind}: ${query}`);
    tally.set(kind, { asked: count.asked + 1, found: count.found + (isFound ? 1 : 0) });
  }
  const lines = [...tally].map(([kind, { asked, found }]) => `${kind} ${found}/${asked}`);
  console.log(
    `recall, hit@3: ${lines.join(', ')}${missed.map((line) => `\n  missed ${line}`).join('')}`,
  );
  expect(lines).toHaveLength(6);
  expect(missed.length).toBeLessThanOrEqual(5);
});

it('denies what was never said: no message for any of 50 questions, and part of it is called so', async () => {
  const believed: string[] = [];
  let silent = 0;
  for (const query of makeUnanswerable(47, corpus, 50)) {
    const { text, matches } = await search(query);
    if (matches.length === 0) silent += 1;
    if (!/^Nothing (in this conversation matches|matches all of) "/.test(text))
      believed.push(query);
  }
  console.log(`recall, never said: ${believed.length} false hits, ${silent} of 50 without any hit`);
  expect(believed).toEqual([]);
});
