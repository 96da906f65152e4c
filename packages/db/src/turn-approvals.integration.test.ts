import { beforeAll, describe, expect, test } from 'vitest';
import { releaseUnit } from './leases.ts';
import { question, questionsIn, timeout_seconds } from './test-support/turn-questions.ts';
import { openTurnWorld, type TurnWorld } from './test-support/turn-world.ts';
import { loadTurnApprovals } from './turn-approvals.ts';

let world: TurnWorld;
let questions: ReturnType<typeof questionsIn>;
beforeAll(async () => {
  world = await openTurnWorld();
  questions = questionsIn(world);
});

describe('asking', () => {
  test('puts every question at once and parks until the first of them lapses', async () => {
    const [one, two] = [question('k1'), question('k2', 'shell_execute', { command: 'make' })];
    const turn = await questions.asking(one, two);
    expect(await world.turnRow(turn.turn_id)).toMatchObject({ status: 'awaiting_approval' });
    const unit = await world.unitRow(turn.turn_id);
    expect(unit).toMatchObject({ status: 'parked', parked_for: 'approval', parked_seconds: 0 });
    expect(unit?.due_in).toBeGreaterThan(timeout_seconds - 10);
    expect(unit?.due_in).toBeLessThanOrEqual(timeout_seconds);
    expect((await world.events(turn.session_id)).slice(-3)).toEqual([
      'approval.requested',
      'approval.requested',
      'turn.awaiting_approval',
    ]);
    const [event] = await questions.eventsAbout(turn.session_id);
    expect(event?.data).toMatchObject({
      approval_id: one.id,
      kind: 'tool',
      tool: 'write_file',
      arguments: { path: 'a' },
      reason: 'write_file changes something',
    });
    expect(Date.parse(String(event?.data.expires_at))).toBeGreaterThan(Date.now());
    const rows = await world.rows(
      `SELECT kind, tool, arguments, session_id, turn_id, unit_id, call_key, tenant_id, task_id
        FROM approvals WHERE id = $1`,
      [two.id],
    );
    expect(rows).toEqual([
      {
        kind: 'tool',
        tool: 'shell_execute',
        arguments: { command: 'make' },
        session_id: turn.session_id,
        turn_id: turn.turn_id,
        unit_id: turn.turn_id,
        call_key: 'k2',
        tenant_id: 'default',
        task_id: null,
      },
    ]);
  });

  test('an event shows long arguments by their beginning; the approval keeps them whole', async () => {
    const long = question('k', 'write_file', { content: 'x'.repeat(50_000) });
    const turn = await questions.asking(long);
    const [event] = await questions.eventsAbout(turn.session_id);
    expect(JSON.stringify(event).length).toBeLessThan(3_000);
    const [row] = await world.rows<{ size: number }>(
      `SELECT length(arguments->>'content') AS size FROM approvals WHERE id = $1`,
      [long.id],
    );
    expect(row?.size).toBe(50_000);
  });

  test('a turn that is to stop asks nobody', async () => {
    const turn = await world.begin(await world.newSession());
    await questions.stop(turn);
    await questions.park(turn, [question('k')]);
    expect(await world.turnRow(turn.turn_id)).toMatchObject({ status: 'cancelled' });
    expect(await questions.eventsAbout(turn.session_id)).toEqual([]);
  });
});

describe('nobody answers', () => {
  test('its owner closes what lapsed, and leaves the rest open', async () => {
    const [one, two] = [question('k1'), question('k2')];
    const turn = await questions.asking(one, two);
    await questions.decide(turn, two);
    await world.claim(turn.turn_id, 1);
    const three = question('k3');
    const owner = { ...turn, epoch: 2 };
    await questions.park(owner, [three], 1);
    await questions.lapse(one.id);
    await world.rows(`UPDATE units SET status = 'waiting' WHERE id = $1`, [turn.turn_id]);
    await world.claim(turn.turn_id, 2);
    const loaded = await loadTurnApprovals(world.database, turn.turn_id);
    expect(loaded.map(({ call_key, overdue }) => ({ call_key, overdue }))).toEqual([
      { call_key: 'k1', overdue: true },
      { call_key: 'k2', overdue: false },
      { call_key: 'k3', overdue: false },
    ]);
    await world.commit({ ...turn, epoch: 3 }, { expire: true });
    expect(await questions.approval(one.id)).toMatchObject({ status: 'expired', decided_by: null });
    expect(await questions.approval(two.id)).toMatchObject({ status: 'approved' });
    expect(await questions.approval(three.id)).toMatchObject({ status: 'pending' });
    expect((await questions.eventsAbout(turn.session_id)).at(-1)).toMatchObject({
      type: 'approval.expired',
      data: { approval_id: one.id, status: 'expired' },
    });
  });

  test('an answer after the time is over is refused, written down as expired, and wakes the turn', async () => {
    const asked = question('k');
    const turn = await questions.asking(asked);
    await questions.lapse(asked.id);
    const late = await questions.decide(turn, asked, { remember: true });
    expect(late).toMatchObject({ outcome: 'late', status: 'expired', decided_by: null });
    expect(late.rings).toHaveLength(1);
    expect(await questions.approval(asked.id)).toMatchObject({
      status: 'expired',
      decided_by: null,
    });
    expect(await questions.grants(turn.session_id)).toEqual({});
    expect(await questions.decide(turn, asked)).toMatchObject({
      outcome: 'decided_before',
      status: 'expired',
    });
  });
});

describe('a turn that ends with open questions', () => {
  test('cancelled while it waits: they are refused in the name of whoever cancelled', async () => {
    const asked = question('k');
    const turn = await questions.asking(asked);
    await questions.stop(turn);
    expect(await questions.approval(asked.id)).toMatchObject({
      status: 'denied',
      decided_by: 'key_stop',
      decision_reason: 'the turn was cancelled',
    });
    expect((await world.events(turn.session_id)).slice(-2)).toEqual([
      'approval.decided',
      'turn.cancelled',
    ]);
    expect(await questions.decide(turn, asked)).toMatchObject({
      outcome: 'decided_before',
      rings: [],
    });
    expect(await world.unitRow(turn.turn_id)).toMatchObject({ status: 'withdrawn' });
  });

  test('interrupted by a message: the same, and the message gets its turn', async () => {
    const asked = question('k');
    const turn = await questions.asking(asked);
    const { accepted, rings } = await world.send(turn.session_id, 'stop that', 'interrupt');
    expect(rings).toMatchObject([{ unit_id: accepted.turn_id }]);
    expect(await questions.approval(asked.id)).toMatchObject({
      status: 'denied',
      decided_by: 'key_test',
    });
  });

  test('given up after too many starts: they are refused too', async () => {
    const [one, two] = [question('k1'), question('k2')];
    const turn = await questions.asking(one, two);
    await questions.decide(turn, one);
    for (let epoch = 1; epoch <= 3; epoch++) {
      await world.claim(turn.turn_id, epoch);
      const fence = { unit_id: turn.turn_id, epoch: epoch + 1 };
      await releaseUnit(world.database, fence, { error: 'boom', counts_as_start: true });
    }
    expect(await world.claim(turn.turn_id, 4)).toMatchObject({ outcome: 'dead' });
    expect(await questions.approval(two.id)).toMatchObject({
      status: 'denied',
      decision_reason: 'the turn failed',
    });
  });
});
