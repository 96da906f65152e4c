import { newId } from '@loom/shared/ids';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTurnWorld, type TurnWorld } from '../test-support/turn-world.ts';
import { countRules } from './count-rules.ts';
import { forgetRule } from './forget-rule.ts';
import { listLearnedRules } from './list-learned-rules.ts';
import { loadFollowUps } from './load-follow-ups.ts';
import { loadLearnedRules } from './load-learned-rules.ts';

let world: TurnWorld;
let turns = 0;
beforeAll(async () => {
  world = await openTurnWorld();
});
beforeEach(async () => {
  await world.rows('DELETE FROM learned_rules');
});

const nextTurn = () => `turn_${++turns}`;
const rule = (form: string, opposes: string[] = [], text = `Rule ${form}.`) => ({
  rule: text,
  normal_form: form,
  opposes,
});

interface Heard {
  workspace?: string | null;
  tenant_id?: string;
  turn_id?: string;
}

const hear = (rules: ReturnType<typeof rule>[], heard: Heard = {}) =>
  countRules(world.database, {
    tenant_id: 'default',
    workspace: '/w',
    turn_id: nextTurn(),
    ...heard,
    rules,
  });
const rulesIn = (workspace: string | null, tenant_id = 'default') =>
  loadLearnedRules(world.database, { tenant_id, workspace });
const list = (params: { workspaces?: string[]; limit?: number; cursor?: string } = {}) =>
  listLearnedRules(world.database, {
    tenant_id: 'default',
    limit: 50,
    ...params,
    workspaces: params.workspaces ?? null,
  });
const timesOf = async (form: string) =>
  (
    await world.rows<{ times: number }>('SELECT times FROM learned_rules WHERE normal_form = $1', [
      form,
    ])
  )[0]?.times;

describe('counting', () => {
  it('counts a rule again when it is said again, in its newest words', async () => {
    await hear([rule('tab', [], 'Use tabs.')]);
    await hear([rule('tab', [], 'Always use tabs.')]);
    expect((await list()).items).toMatchObject([{ rule: 'Always use tabs.', times: 2 }]);
  });

  it('counts a turn once, however often it is told and however many at once', async () => {
    const turn_id = nextTurn();
    await Promise.all(Array.from({ length: 4 }, () => hear([rule('tab')], { turn_id })));
    await hear([rule('tab')]);
    await hear([rule('tab')], { turn_id });
    expect(await timesOf('tab')).toBe(2);
  });

  it('counts what is said at once in many turns, whatever the order', async () => {
    const rules = [rule('a'), rule('b'), rule('c')];
    await Promise.all(
      Array.from({ length: 8 }, (_, n) => hear(n % 2 === 0 ? rules : rules.toReversed())),
    );
    expect(await Promise.all(['a', 'b', 'c'].map(timesOf))).toEqual([8, 8, 8]);
  });

  it('remembers the newest turns, not all of them', async () => {
    for (let n = 0; n < 55; n += 1) await hear([rule('tab')]);
    const [row] = await world.rows<{ turns: string[]; times: number }>(
      'SELECT turns, times FROM learned_rules',
    );
    expect(row?.times).toBe(55);
    expect(row?.turns).toHaveLength(50);
    expect(row?.turns.at(-1)).toBe(`turn_${turns}`);
  });

  it('drops what a rule takes back, in its own workspace and tenant alone', async () => {
    await hear([rule('tab')]);
    await hear([rule('tab')], { workspace: '/other' });
    await hear([rule('tab')], { tenant_id: 'other' });
    await hear([rule('not tab', ['tab'])]);
    expect(await rulesIn('/w')).toEqual(['Rule not tab.']);
    expect(await rulesIn('/other')).toEqual(['Rule tab.']);
    expect(await rulesIn('/w', 'other')).toEqual(['Rule tab.']);
  });

  it('keeps both where one message says a thing and its opposite', async () => {
    const both = [rule('tab', ['not tab']), rule('not tab', ['tab'])];
    await hear(both);
    await hear(both);
    expect(await Promise.all(['tab', 'not tab'].map(timesOf))).toEqual([2, 2]);
    expect((await rulesIn('/w')).toSorted()).toEqual(['Rule not tab.', 'Rule tab.']);
  });
});

describe('what a prompt is told', () => {
  it('is the fifteen rules said most often, then the newest', async () => {
    for (let n = 1; n <= 17; n += 1) await hear([rule(`r${n}`)]);
    await world.rows(`UPDATE learned_rules SET last_seen_at = now() + substr(normal_form, 2)::int * interval '1 s',
      times = CASE WHEN normal_form = 'r1' THEN 5 WHEN normal_form = 'r2' THEN 9 ELSE 1 END`);
    const told = await rulesIn('/w');
    expect(told).toHaveLength(15);
    expect(told.slice(0, 3)).toEqual(['Rule r2.', 'Rule r1.', 'Rule r17.']);
    expect(told).not.toContain('Rule r3.');
  });

  it('comes from its workspace and from sessions without one, never from elsewhere', async () => {
    await hear([rule('here')]);
    await hear([rule('elsewhere')], { workspace: '/w2' });
    await hear([rule('everywhere')], { workspace: null });
    await hear([rule('of its own')], { workspace: `/data/workspaces/${newId('ws')}` });
    await hear([rule('foreign')], { workspace: null, tenant_id: 'other' });
    const wide = ['Rule everywhere.', 'Rule of its own.'];
    expect((await rulesIn('/w')).toSorted()).toEqual([...wide, 'Rule here.'].toSorted());
    expect((await rulesIn(null)).toSorted()).toEqual(wide);
    expect((await rulesIn(`/data/workspaces/${newId('ws')}`)).toSorted()).toEqual(wide);
  });

  it('tells a rule of both places once', async () => {
    await hear([rule('tab', [], 'Use tabs.')], { workspace: null });
    await hear([rule('tab', [], 'Always use tabs.')]);
    expect(await rulesIn('/w')).toEqual(['Always use tabs.']);
  });
});

describe('looking and forgetting', () => {
  it('lists a tenant’s rules in pages, or those that hold in a workspace', async () => {
    await hear([rule('a')]);
    await hear([rule('b')], { workspace: '/w2' });
    await hear([rule('c')], { workspace: null });
    await hear([rule('d')], { tenant_id: 'other' });
    const first = await list({ limit: 2 });
    const rest = await list({ limit: 2, cursor: first.next_cursor ?? '' });
    const all = [...first.items, ...rest.items];
    expect(all.map((one) => one.rule).toSorted()).toEqual(['Rule a.', 'Rule b.', 'Rule c.']);
    expect(rest.next_cursor).toBeNull();
    const { items } = await list({ workspaces: ['/w2', '/link'] });
    expect(items.map(({ workspace }) => workspace).toSorted()).toEqual(['/w2', null]);
  });

  it('forgets a rule of the tenant, and says who did it', async () => {
    await hear([rule('tab')]);
    const id = (await list()).items[0]?.id ?? '';
    const forget = (tenant_id: string) =>
      forgetRule(world.database, { tenant_id, rule_id: id, actor: 'key_1' });
    expect(await forget('other')).toBe(false);
    expect(await rulesIn('/w')).toHaveLength(1);
    expect(await forget('default')).toBe(true);
    expect(await rulesIn('/w')).toEqual([]);
    expect(await forget('default')).toBe(false);
    expect(
      await world.rows(`SELECT tenant_id, actor, action, target, detail FROM audit_log`),
    ).toEqual([
      {
        tenant_id: 'default',
        actor: 'key_1',
        action: 'learned.forget',
        target: id,
        detail: { rule: 'Rule tab.', workspace: '/w', times: 1 },
      },
    ]);
  });
});

describe('what a user said in a turn', () => {
  const followUps = (session_id: string, turn_id: string, tenant_id = 'default') =>
    loadFollowUps(world.database, { tenant_id, session_id, turn_id });

  it('comes with what the assistant had said last', async () => {
    const session = await world.newSession('default', { workspace: '/w' });
    const first = await world.begin(session, 'do it');
    await world.commit(first, {
      messages: [{ role: 'assistant', content: 'done' }],
      input: { kind: 'finished' },
    });
    const second = await world.begin(session, 'No, use tabs.');
    expect(await followUps(session, first.turn_id)).toEqual([
      { content: 'do it', previous: null, workspace: '/w' },
    ]);
    expect(await followUps(session, second.turn_id)).toEqual([
      { content: 'No, use tabs.', previous: 'done', workspace: '/w' },
    ]);
    expect(await followUps(session, second.turn_id, 'other')).toEqual([]);
  });

  it('is without the answers to what the turn asked', async () => {
    const session = await world.newSession();
    const turn = await world.begin(session, 'do it');
    const call = { id: 'q', name: 'ask_user', arguments: { question: 'Tabs?' } };
    await world.commit(turn, {
      messages: [{ role: 'assistant', content: 'One thing.', tool_calls: [call] }],
      input: { kind: 'parked', on: 'user' },
      awaiting_call_id: 'q',
    });
    await world.send(session, 'No, use spaces.');
    const said = await followUps(session, turn.turn_id);
    expect(said.map(({ content }) => content)).toEqual(['do it']);
  });
});
