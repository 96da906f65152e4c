import { beforeAll, describe, expect, test } from 'vitest';
import { loadTurn } from './load-turn.ts';
import { question, questionsIn } from './test-support/turn-questions.ts';
import { openTurnWorld, type TurnWorld } from './test-support/turn-world.ts';
import { loadTurnApprovals } from './turn-approvals.ts';

let world: TurnWorld;
let questions: ReturnType<typeof questionsIn>;
beforeAll(async () => {
  world = await openTurnWorld();
  questions = questionsIn(world);
});

describe('answering', () => {
  test('an answer wakes the turn, which goes on as one that waited', async () => {
    const asked = question('k');
    const turn = await questions.asking(asked);
    const given = await questions.decide(turn, asked, { reason: 'fine', arguments: { path: 'b' } });
    expect(given).toEqual({
      outcome: 'decided',
      status: 'approved',
      decided_by: 'key_me',
      rings: [{ queue: 'turns', tenant_id: 'default', unit_id: turn.turn_id, epoch: 1 }],
      streams: [turn.session_id],
    });
    expect(await questions.approval(asked.id)).toEqual({
      status: 'approved',
      decided_by: 'key_me',
      decision_reason: 'fine',
      decided_arguments: { path: 'b' },
      dated: true,
    });
    expect(await world.unitRow(turn.turn_id)).toMatchObject({ status: 'waiting', due_in: null });
    expect(await world.claim(turn.turn_id, 1)).toMatchObject({ outcome: 'claimed' });
    expect(await world.unitRow(turn.turn_id)).toMatchObject({ starts: 1, parked_for: null });
    expect((await world.events(turn.session_id)).slice(-3)).toEqual([
      'approval.decided',
      'turn.queued',
      'turn.started',
    ]);
    expect(await loadTurnApprovals(world.database, turn.turn_id)).toEqual([
      {
        id: asked.id,
        call_key: 'k',
        status: 'approved',
        decided_arguments: { path: 'b' },
        decision_reason: 'fine',
        overdue: false,
      },
    ]);
  });

  test('of many who answer at once, one is heard, and the turn is woken once', async () => {
    const asked = question('k');
    const turn = await questions.asking(asked);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        questions.decide(turn, asked, {
          by: `key_${index}`,
          decision: index % 2 ? 'approve' : 'deny',
        }),
      ),
    );
    const [first, ...more] = answers.filter(({ outcome }) => outcome === 'decided');
    expect(more).toEqual([]);
    for (const { status, decided_by } of answers) {
      expect({ status, decided_by }).toEqual({
        status: first?.status,
        decided_by: first?.decided_by,
      });
    }
    expect(answers.flatMap(({ rings }) => rings)).toHaveLength(1);
    expect(await questions.eventsAbout(turn.session_id)).toHaveLength(2);
  });

  test('an edit that comes with a refusal is not kept', async () => {
    const asked = question('k');
    const turn = await questions.asking(asked);
    await questions.decide(turn, asked, {
      decision: 'deny',
      reason: 'no',
      arguments: { path: 'b' },
    });
    expect(await questions.approval(asked.id)).toMatchObject({
      status: 'denied',
      decided_arguments: null,
    });
    const events = await questions.eventsAbout(turn.session_id);
    expect(events.at(-1)).toEqual({
      type: 'approval.decided',
      data: {
        approval_id: asked.id,
        kind: 'tool',
        status: 'denied',
        by: 'key_me',
        reason: 'no',
      },
    });
  });

  test('another tenant finds nothing to answer', async () => {
    const asked = question('k');
    const turn = await questions.asking(asked);
    await expect(questions.decide(turn, asked, {}, 'other')).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await questions.approval(asked.id)).toMatchObject({ status: 'pending' });
  });

  test('a turn does not park for answers that came while it worked', async () => {
    const [one, two] = [question('k1'), question('k2')];
    const turn = await questions.asking(one, two);
    await questions.decide(turn, one);
    await world.claim(turn.turn_id, 1);
    const owner = { ...turn, epoch: 2 };
    // It is at work on the first when the second is answered.
    expect(await questions.decide(turn, two)).toMatchObject({ outcome: 'decided', rings: [] });
    expect(await questions.park(owner, [], 1)).toEqual({ outcome: 'not_parked' });
    expect(await world.unitRow(turn.turn_id)).toMatchObject({ status: 'claimed' });
  });

  test('answer and park at the same moment: it is never left parked without a ring', async () => {
    for (let round = 0; round < 10; round++) {
      const [one, two] = [question('k1'), question('k2')];
      const turn = await questions.asking(one, two);
      await questions.decide(turn, one);
      await world.claim(turn.turn_id, 1);
      const [parked, answered] = await Promise.all([
        questions.park({ ...turn, epoch: 2 }, [], 1),
        questions.decide(turn, two),
      ]);
      const { status } = (await world.unitRow(turn.turn_id)) ?? {};
      const rings = answered.rings.length;
      if (parked.outcome === 'not_parked') {
        expect({ status, rings }).toEqual({ status: 'claimed', rings: 0 });
      } else expect({ status, rings }).toEqual({ status: 'waiting', rings: 1 });
    }
  });

  test('while some are open it parks again, until the first of those lapses', async () => {
    const [one, two] = [question('k1'), question('k2')];
    const turn = await questions.asking(one, two);
    await questions.decide(turn, one);
    await world.claim(turn.turn_id, 1);
    await world.rows(
      `UPDATE approvals SET expires_at = now() + interval '7 seconds' WHERE id = $1`,
      [two.id],
    );
    expect(await questions.park({ ...turn, epoch: 2 }, [], 1)).toMatchObject({
      outcome: 'applied',
    });
    const unit = await world.unitRow(turn.turn_id);
    expect(unit?.due_in).toBeLessThanOrEqual(7);
    expect(await questions.eventsAbout(turn.session_id)).toHaveLength(3);
  });
});

describe('always for this session', () => {
  test('frees the tool once, and keeps what else was granted', async () => {
    const session = await world.newSession('default', { grants: { folders: ['/tmp'] } });
    const turn = await world.begin(session);
    const [one, two] = [question('k1'), question('k2', 'edit_file')];
    await questions.park(turn, [one, two]);
    await questions.decide(turn, one, { remember: true });
    await questions.decide(turn, two, { remember: true });
    expect(await questions.grants(session)).toEqual({
      folders: ['/tmp'],
      tools: ['write_file', 'edit_file'],
    });
    await world.claim(turn.turn_id, 1);
    const owner = { ...turn, epoch: 2 };
    const again = question('k3');
    await questions.park(owner, [again]);
    await questions.decide(turn, again, { remember: true });
    expect(await questions.grants(session)).toMatchObject({ tools: ['write_file', 'edit_file'] });
  });

  test('answers the other open questions about that tool, and no others', async () => {
    const one = question('k1');
    const same = question('k2', 'write_file', { path: 'other' });
    const secret = question('k3', 'write_file', { path: '.env' });
    const other = question('k4', 'edit_file');
    const turn = await questions.asking(one, same, secret, other);
    await questions.decide(turn, one, { remember: true, arguments: { path: 'edited' } });
    expect(await questions.approval(same.id)).toMatchObject({
      status: 'approved',
      decided_by: 'key_me',
      decided_arguments: null,
    });
    expect(await questions.approval(secret.id)).toMatchObject({ status: 'pending' });
    expect(await questions.approval(other.id)).toMatchObject({ status: 'pending' });
  });

  test('is never remembered of what is always asked about, nor of a refusal', async () => {
    const secret = question('k1', 'write_file', { path: '.env' });
    const refused = question('k2', 'edit_file');
    const turn = await questions.asking(secret, refused);
    await questions.decide(turn, secret, { remember: true });
    await questions.decide(turn, refused, { remember: true, decision: 'deny' });
    expect(await questions.approval(secret.id)).toMatchObject({ status: 'approved' });
    expect(await questions.grants(turn.session_id)).toEqual({});
  });

  test('grants of any other shape free nothing, and are no obstacle', async () => {
    for (const tools of [
      'write_file',
      { write_file: true },
      [1, 'edit_file', ['write_file']],
      null,
    ]) {
      const session = await world.newSession('default', { grants: { tools } });
      const turn = await world.begin(session);
      const unit = { unit_id: turn.turn_id, turn_id: turn.turn_id, session_id: session };
      const brief = await loadTurn(world.database, { ...claimed, ...unit });
      expect(brief?.granted_tools).toEqual(Array.isArray(tools) ? ['edit_file'] : []);
      const asked = question('k');
      await questions.park(turn, [asked]);
      await questions.decide(turn, asked, { remember: true });
      expect(((await questions.grants(session)) as { tools: unknown[] }).tools.at(-1)).toBe(
        'write_file',
      );
    }
  });
});

const claimed = {
  epoch: 1,
  queue: 'turns',
  tenant_id: 'default',
  task_id: null,
  subtask_id: null,
  attempt: null,
  metered: false,
} as const;
