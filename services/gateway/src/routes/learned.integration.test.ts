import { countRules } from '@loom/db/learned/count-rules';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway.ts';

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

const learn = (rule: string, workspace: string | null) =>
  countRules(gateway.db, {
    tenant_id: 'default',
    workspace,
    turn_id: `turn of ${rule}`,
    rules: [{ rule, normal_form: rule, opposes: [] }],
  });

it('shows what was learnt and forgets it, for its tenant alone', async () => {
  const user = await gateway.client(['user', 'admin']);
  const stranger = await gateway.client(['user'], 'other');
  expect(await user.get('/api/learned')).toEqual({ items: [], next_cursor: null });
  await learn('Use tabs.', `${gateway.root}/a`);
  await learn('No emojis.', null);
  await learn('Use npm.', `${gateway.root}/b`);
  const { items } = (await user.get('/api/learned?workspace=a')) as {
    items: { id: string; rule: string }[];
  };
  expect(items.toSorted((one, other) => one.rule.localeCompare(other.rule))).toEqual([
    expect.objectContaining({ rule: 'No emojis.', workspace: null, times: 1 }),
    {
      id: expect.stringMatching(/^rule_/),
      rule: 'Use tabs.',
      workspace: `${gateway.root}/a`,
      times: 1,
      created_at: expect.stringMatching(/Z$/),
      last_seen_at: expect.stringMatching(/Z$/),
    },
  ]);
  expect((await user.request('GET', '/api/learned?cursor=x')).status).toBe(422);
  expect(await stranger.get('/api/learned')).toMatchObject({ items: [] });

  const path = `/api/learned/${items.find(({ rule }) => rule === 'Use tabs.')?.id}`;
  expect((await stranger.request('DELETE', path)).status).toBe(404);
  expect((await user.request('DELETE', path)).status).toBe(204);
  expect(await user.request('DELETE', path)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
  const left = (await user.get('/api/learned')) as { items: { rule: string }[] };
  expect(left.items.map(({ rule }) => rule).toSorted()).toEqual(['No emojis.', 'Use npm.']);
  expect(await user.get('/api/admin/audit')).toMatchObject({
    items: [{ action: 'learned.forget', actor: user.key_id, detail: { rule: 'Use tabs.' } }],
  });
});
