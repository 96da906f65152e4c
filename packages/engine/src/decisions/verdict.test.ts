import type { ApprovalMode } from '@loom/shared/approval';
import type { ConfidenceSignals } from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';
import { describe, expect, it } from 'vitest';
import {
  after,
  answers,
  asks,
  done,
  judged,
  play,
  running,
  started,
  verificationStarted,
} from '../test-support/play.ts';
import {
  type PolicyFields,
  planOf,
  policyOf,
  specOf,
  statuses,
  subtaskIn,
  theEvent,
  types,
} from '../test-support/task-fixtures.ts';

const plan = planOf('a', specOf('b', { depends_on: ['a'] }));
const verifying = (fields: PolicyFields = {}) =>
  play(running(plan, { policy: policyOf(fields) }), started('a'), done('a'));

describe('a verdict that says nothing about the work', () => {
  const unreadable: Partial<Verdict> = {
    outcome: 'pass_with_warnings',
    reason_code: 'verifier_unreadable',
    severity_class: 'inconclusive',
    feedback: 'gave no answer that can be read',
  };

  it.each(['verifier_unreadable', 'parse_inconclusive', 'verification_contradicted'])(
    'has the result verified again without executing it again: %s',
    (reason_code) => {
      const { state, last } = play(verifying(), judged('a', 1, { ...unreadable, reason_code }));
      expect(last.units).toEqual([
        { queue: 'verifications', subtask_id: 'a', attempt: 1, tier: null, round: 2 },
      ]);
      expect(types(last.events)).toEqual(['verification.retrying']);
      expect(last.events[0]).toMatchObject({ attempt: 1, data: { reason_code, round: 1 } });
      expect(subtaskIn(state, 'a')).toMatchObject({
        status: 'verifying',
        attempts: 1,
        verification: 'unverified',
      });
    },
  );

  it('does so as well when a contradicted verdict would have failed the work', () => {
    const { state } = play(
      verifying(),
      judged('a', 1, { outcome: 'fail', reason_code: 'verification_contradicted' }),
    );
    expect(subtaskIn(state, 'a')).toMatchObject({ status: 'verifying', attempts: 1 });
  });

  it('stands with its warnings after the last round', () => {
    const { state, last, units } = play(
      verifying(),
      judged('a', 1, unreadable),
      judged('a', 1, unreadable),
    );
    expect(statuses(state)).toEqual({ a: 'completed', b: 'queued' });
    expect(theEvent(last.events, 'verification.passed').data).toMatchObject({
      outcome: 'pass_with_warnings',
      reason_code: 'verifier_unreadable',
    });
    expect(units.filter(({ queue }) => queue === 'verifications')).toHaveLength(2);
  });

  it('is asked for as often as the policy says', () => {
    const once = play(verifying({ max_verification_rounds: 1 }), judged('a', 1, unreadable));
    expect(statuses(once.state).a).toBe('completed');
    const three = verifying({ max_verification_rounds: 3 });
    const again = play(three, judged('a', 1, unreadable), judged('a', 1, unreadable));
    expect(again.last.units).toMatchObject([{ queue: 'verifications', round: 3 }]);
  });

  it('gives way to one that can be read', () => {
    const again = play(verifying(), judged('a', 1, unreadable), verificationStarted('a'));
    expect(statuses(play(again, judged('a')).state).a).toBe('completed');
    const rejected = play(again, judged('a', 1, { outcome: 'fail', reason_code: 'unmet' }));
    expect(subtaskIn(rejected.state, 'a')).toMatchObject({ status: 'queued', attempts: 2 });
  });

  it('counts its rounds anew for each attempt', () => {
    const second = play(
      verifying(),
      judged('a', 1, unreadable),
      judged('a', 1, { outcome: 'fail', reason_code: 'unmet' }),
      started('a', 2),
      done('a', 2),
    );
    expect(second.last.units).toMatchObject([{ queue: 'verifications', attempt: 2, round: 1 }]);
    expect(play(second, judged('a', 2, unreadable)).last.units).toMatchObject([{ round: 2 }]);
  });
});

describe('a result that passed', () => {
  // Without another model's judgement: 0.3 of 0.7 for the checks, 0.2 for no retries, 0.1 and 0.1.
  const weighs = (mode: ApprovalMode, signals: Partial<ConfidenceSignals>, fields = {}) =>
    play(verifying({ approval: { mode, ...fields } }), judged('a', 1, {}, signals));
  const middling = { tier1_ratio: 0.5 };
  const poor = { tier1_ratio: 0, destructive: true };
  const worthless = {
    tier1_ratio: 0,
    tier2_confidence: 0,
    destructive: true,
    tool_success: 0,
  };

  it('stands at once with enough confidence, which is told', () => {
    const { state, last } = weighs('auto', {});
    expect(statuses(state)).toEqual({ a: 'completed', b: 'queued' });
    expect(theEvent(last.events, 'subtask.completed').data).toMatchObject({ confidence: 1 });
    expect(last.approvals).toEqual([]);
  });

  it('of middling confidence waits for an objection, and stands without one', () => {
    const waits = weighs('auto', middling);
    expect(statuses(waits.state)).toEqual({ a: 'awaiting_approval', b: 'pending' });
    expect(waits.last.approvals).toMatchObject([
      { op: 'open', kind: 'result', subtask_id: 'a', attempt: 1, expires_at: waits.now + 10_000 },
    ]);
    expect(waits.state.status).toBe('awaiting_confirmation');
    expect(statuses(play(waits, ...after(9)).state).a).toBe('awaiting_approval');
    const stands = play(waits, ...after(10));
    expect(types(stands.last.events)).toContain('approval.expired');
    expect(statuses(stands.state)).toEqual({ a: 'completed', b: 'queued' });
  });

  it('of little confidence waits for a person, and falls without one', () => {
    const waits = weighs('auto', poor);
    expect(waits.state.course.approvals).toMatchObject([
      { kind: 'result', expires_at: waits.now + 3_600_000, on_timeout: 'deny' },
    ]);
    const fallen = play(waits, ...after(3_600));
    expect(subtaskIn(fallen.state, 'a')).toMatchObject({
      status: 'queued',
      attempts: 2,
      feedback: 'nobody answered in time',
    });
  });

  it('of little confidence stands without an answer if that is what was agreed', () => {
    const waits = weighs('auto', poor, { on_timeout: 'approve', timeout_seconds: 60 });
    expect(statuses(play(waits, ...after(60)).state).a).toBe('completed');
  });

  it('of no confidence is not accepted', () => {
    const { state, last } = play(
      verifying({ approval: { mode: 'auto' } }),
      judged('a', 1, {}, { ...worthless, tier2_confidence: 0 }),
    );
    // 0.2 for no retries is just enough to ask; the first retry takes it below.
    expect(statuses(state).a).toBe('awaiting_approval');
    expect(last.approvals).toHaveLength(1);
    const second = play(
      verifying({ approval: { mode: 'auto' } }),
      judged('a', 1, { outcome: 'fail', reason_code: 'unmet' }),
      started('a', 2),
      done('a', 2),
      judged('a', 2, {}, worthless),
    );
    expect(subtaskIn(second.state, 'a')).toMatchObject({
      status: 'failed',
      attempts: 2,
      error: { code: 'low_confidence' },
    });
    expect(second.last.approvals).toEqual([]);
  });

  it('is accepted or sent back by the person who was asked', () => {
    const waits = weighs('auto', poor);
    const accepted = play(waits, answers(1, 'approve'));
    expect(theEvent(accepted.last.events, 'subtask.completed').data).toMatchObject({
      accepted_by: 'key_1',
    });
    const denied = play(waits, answers(1, 'deny', { reason: 'the tone is wrong' }));
    expect(subtaskIn(denied.state, 'a')).toMatchObject({
      status: 'queued',
      attempts: 2,
      feedback: 'the tone is wrong',
    });
  });

  it('is measured by the threshold in confidence_threshold mode', () => {
    expect(statuses(weighs('confidence_threshold', {}, { threshold: 1 }).state).a).toBe(
      'completed',
    );
    const below = weighs('confidence_threshold', middling, { threshold: 0.8 });
    expect(below.state.course.approvals).toMatchObject([
      { kind: 'result', expires_at: below.now + 3_600_000 },
    ]);
    const enough = weighs('confidence_threshold', middling, { threshold: 0.7 });
    expect(statuses(enough.state).a).toBe('completed');
  });

  it('stands whatever its confidence where approval is disabled', () => {
    expect(statuses(weighs('disabled', worthless).state).a).toBe('completed');
  });

  it('waits in manual mode, however good it is', () => {
    const waits = weighs('manual', {});
    expect(statuses(waits.state).a).toBe('awaiting_approval');
    expect(waits.state.course.approvals).toMatchObject([{ expires_at: waits.now + 3_600_000 }]);
  });

  it('does not wait in manual mode when a person approved an action of that attempt', () => {
    const begun = running(plan, { policy: policyOf({ approval: { mode: 'manual' } }) });
    const approved = play(begun, started('a'), asks('a'), answers(1, 'approve'));
    const seen = play(approved, started('a', 1, true), done('a'));
    expect(statuses(play(seen, judged('a')).state).a).toBe('completed');
    const second = play(
      seen,
      judged('a', 1, { outcome: 'fail', reason_code: 'unmet' }),
      started('a', 2),
      done('a', 2),
      judged('a', 2),
    );
    expect(statuses(second.state).a).toBe('awaiting_approval');
  });

  it('waits in manual mode when nobody answered what its attempt asked', () => {
    const manual = policyOf({ approval: { mode: 'manual', on_timeout: 'approve' } });
    const unanswered = play(running(plan, { policy: manual }), started('a'), asks('a'));
    const resumed = play(unanswered, ...after(3_600), started('a', 1, true), done('a'));
    expect(statuses(play(resumed, judged('a')).state).a).toBe('awaiting_approval');
  });

  it('counts retries since the last forgiveness against its confidence', () => {
    const third = play(
      verifying(),
      ...[1, 2, 3].flatMap((attempt) => [
        judged('a', attempt, { outcome: 'fail', reason_code: `unmet_${'xyz'[attempt - 1]}` }),
        started('a', attempt + 1),
        done('a', attempt + 1),
      ]),
      judged('a', 4),
    );
    const [open] = third.state.course.approvals;
    expect(open?.about).toContain('0.71');
    expect(open?.on_timeout).toBe('approve');
  });
});

describe('a verdict that comes too late', () => {
  it('changes nothing once its attempt is over', () => {
    const over = play(verifying(), judged('a', 1, { outcome: 'fail', reason_code: 'unmet' }));
    const late = play(over, judged('a', 1));
    expect(late.state).toEqual(over.state);
    expect(late.last.events).toEqual([]);
  });
});
