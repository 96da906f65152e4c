import { UnitYield } from '@loom/runtime/unit-yield';
import { fault, text } from '@loom/testing/scripted-model/replies';
import { beforeEach, describe, expect, it } from 'vitest';
import { openVerification } from './test-support/verification-scene.ts';

const { model, rows, endedAttempt } = await openVerification();

beforeEach(() => model.reset());

const passing = text('{"outcome": "pass", "confidence": 0.9, "feedback": "Good.\\u0000"}');
const limited = fault({ kind: 'status', status: 429, retryAfter: 7 });
const tier2 = { verification_tier: 2 };

describe('tier 1', () => {
  it('completes a subtask whose checks pass, without asking a model', async () => {
    const scene = await endedAttempt({ ledger: [{}] });
    await scene.verify();
    expect(await scene.verdict()).toMatchObject({
      outcome: 'pass',
      tier: 1,
      reason_code: 'checks_passed',
      evidence: [{ source: 'a.json', quote: expect.stringMatching(/^sha256 [0-9a-f]{64}$/) }],
    });
    expect(await scene.subtask()).toMatchObject({ status: 'completed', verification: 'verified' });
    expect(model.requests).toEqual([]);
  });

  it('fails before a model is asked, and the next attempt hears why', async () => {
    const scene = await endedAttempt({ spec: tier2, files: {} });
    await scene.verify();
    expect(await scene.verdict()).toMatchObject({
      outcome: 'fail',
      reason_code: 'deliverable_missing',
      missing_targets: ['a.json'],
    });
    expect(await scene.subtask()).toMatchObject({
      attempts: 2,
      feedback: expect.stringMatching(/a\.json is missing/),
    });
    expect(model.requests).toEqual([]);
  });

  it('reports a call in doubt and a check that could not run', async () => {
    const scene = await endedAttempt({
      spec: { checks: ['true'] },
      ledger: [{ status: 'in_doubt', result: null }],
    });
    await scene.verify();
    expect(await scene.verdict()).toMatchObject({
      outcome: 'partial_verified',
      reason_code: 'check_not_run',
      feedback: expect.stringMatching(/is in doubt(.|\n)*true was not run: .*none here/),
    });
    expect(await scene.subtask()).toMatchObject({ verification: 'partly_verified' });
  });
});

describe('tier 2', () => {
  it('stores reply, event, cost and verdict in one commit', async () => {
    model.once('verifier', passing);
    const scene = await endedAttempt({ spec: tier2 });
    await scene.verify();
    expect(await scene.verdict()).toMatchObject({
      outcome: 'pass',
      tier: 2,
      feedback: 'Good.\uFFFD',
    });
    // The one that did the work is avoided.
    expect(model.requests).toMatchObject([{ role: 'verifier', model: 'judge' }]);
    const { task_id, unit_id } = scene.unit;
    expect(
      await rows('SELECT seq, role FROM attempt_messages WHERE unit_id = $1', [unit_id]),
    ).toEqual([{ seq: 0, role: 'assistant' }]);
    const [call] = await scene.events('model.call');
    expect(call).toMatchObject({ role: 'verifier', model: 'judge' });
    const { input_tokens, output_tokens } = call as Record<string, number>;
    expect(
      await rows(
        `SELECT tokens_used::int AS tokens, cost_micros::int AS cost, model_calls FROM tasks
          WHERE id = $1`,
        [task_id],
      ),
    ).toEqual([
      {
        tokens: (input_tokens ?? 0) + (output_tokens ?? 0),
        cost: 2 * (output_tokens ?? 0),
        model_calls: 1,
      },
    ]);
    // The attempt keeps the model that did the work.
    expect(await rows('SELECT model FROM attempts WHERE task_id = $1', [task_id])).toEqual([
      { model: 'worker' },
    ]);
  });

  it('is asked for by a synthesis, and can be switched off', async () => {
    model.on('verifier', passing);
    for (const [tier2_enabled, tier] of [
      [true, 2],
      [false, 1],
    ] as const) {
      const scene = await endedAttempt({ spec: { is_synthesis: true } });
      await scene.verify({ verification: { tier2_enabled } });
      expect(await scene.verdict()).toMatchObject({ outcome: 'pass', tier });
    }
  });

  it('without a verifier is never a plain pass', async () => {
    const scene = await endedAttempt({ spec: tier2 });
    await scene.verify({}, []);
    expect(await scene.verdict()).toMatchObject({
      outcome: 'partial_verified',
      reason_code: 'verifier_unavailable',
      tier: 1,
    });
    expect(await scene.subtask()).toMatchObject({
      status: 'completed',
      verification: 'unverified',
    });
  });

  it('with a failing verifier is never a plain pass', async () => {
    model.on('verifier', fault({ kind: 'status', status: 503 }));
    const scene = await endedAttempt({ spec: tier2 });
    await scene.verify();
    expect(await scene.verdict()).toMatchObject({
      outcome: 'pass_with_warnings',
      reason_code: 'verifier_failed',
      tier: 1,
    });
    expect(await scene.subtask()).toMatchObject({ verification: 'unverified' });
  });

  it('with an answer that cannot be read is asked for in another round', async () => {
    model.once('verifier', text('Fine!'));
    model.once('verifier', passing);
    const scene = await endedAttempt({ spec: tier2 });
    await scene.verify();
    expect(await scene.verdict()).toBeUndefined();
    expect(await scene.subtask()).toMatchObject({ status: 'verifying', attempts: 1 });
    await scene.verify();
    expect(await scene.held()).toMatchObject({ id: expect.stringMatching(/\.1\.v2$/) });
    expect(await scene.verdict()).toMatchObject({ outcome: 'pass', tier: 2 });
    expect(await scene.subtask()).toMatchObject({ status: 'completed', attempts: 1 });
  });

  it('that cannot be read in any round leaves tier 1 with a warning', async () => {
    model.on('verifier', text('Fine!'));
    const scene = await endedAttempt({ spec: tier2 });
    await scene.verify();
    await scene.verify();
    expect(model.requests).toHaveLength(2);
    expect(await scene.verdict()).toMatchObject({
      outcome: 'pass_with_warnings',
      reason_code: 'verifier_unreadable',
      severity_class: 'inconclusive',
      tier: 1,
    });
    expect(await scene.subtask()).toMatchObject({ status: 'completed' });
  });

  it('uses an answer that stands in the journal instead of asking again', async () => {
    const scene = await endedAttempt({ spec: tier2 });
    const content = '{"outcome": "fail", "reason_code": "stored", "feedback": "No."}';
    await scene.context.commit({ journal: [{ role: 'assistant', content }] });
    await scene.claim();
    await scene.verify();
    expect(await scene.verdict()).toMatchObject({ outcome: 'fail', reason_code: 'stored' });
    expect(model.requests).toEqual([]);
  });
});

describe('a verifier that asks for patience', () => {
  it('gets it without a worker, and is asked again afterwards', async () => {
    model.once('verifier', limited);
    model.once('verifier', passing);
    const scene = await endedAttempt({ spec: tier2 });
    await scene.verify();
    expect(await scene.held()).toMatchObject({ status: 'parked', parked_for: 'model', seconds: 7 });
    expect(await scene.events('model.parked')).toMatchObject([
      { reason: 'model_rate_limited', seconds: 7, role: 'verifier', model: 'judge' },
    ]);
    await scene.claim();
    await scene.verify();
    expect(await scene.verdict()).toMatchObject({ outcome: 'pass', tier: 2 });
  });

  it('is given up when it has asked for too much of it', async () => {
    model.on('verifier', limited);
    const scene = await endedAttempt({ spec: tier2 });
    const settings = { execution: { max_parked_seconds: 10 } };
    await scene.verify(settings);
    expect(await scene.held()).toMatchObject({ status: 'parked' });
    await scene.claim();
    await scene.verify(settings);
    expect(await scene.verdict()).toMatchObject({ reason_code: 'verifier_failed' });
    expect(await scene.events('model.parked')).toHaveLength(1);
  });
});

describe('a budget', () => {
  it('lets the verifier be asked while something is left', async () => {
    model.once('verifier', passing);
    const scene = await endedAttempt({ spec: tier2, budget: { max_model_calls: 1 } });
    await scene.verify();
    expect(await scene.verdict()).toMatchObject({ outcome: 'pass', tier: 2 });
    expect(await scene.task()).toMatchObject({ status: 'completed', model_calls: 1 });
  });

  it('that is spent leaves the checks alone to judge', async () => {
    const scene = await endedAttempt({ spec: tier2, budget: { max_model_calls: 1 } });
    await rows('UPDATE tasks SET model_calls = 1 WHERE id = $1', [scene.unit.task_id]);
    await scene.verify();
    expect(model.requests).toEqual([]);
    expect(await scene.verdict()).toMatchObject({
      outcome: 'pass_with_warnings',
      reason_code: 'budget_exhausted',
      severity_class: 'infra',
      tier: 1,
    });
    expect(await scene.subtask()).toMatchObject({ verification: 'unverified' });
    expect(await scene.events('task.budget_exhausted')).toMatchObject([
      { budget: 'max_model_calls' },
    ]);
  });
});

describe('a budget that pauses the task', () => {
  it('parks the verification until it is raised', async () => {
    const budget = { max_model_calls: 1 };
    const scene = await endedAttempt({ spec: tier2, budget, pauses: true });
    await rows('UPDATE tasks SET model_calls = 1 WHERE id = $1', [scene.unit.task_id]);
    await scene.verify();
    expect(await scene.held()).toMatchObject({ status: 'parked', parked_for: 'pause' });
    expect(await scene.verdict()).toBeUndefined();
    const limits = { max_model_calls: 2 };
    await scene.control({ kind: 'resume_requested', subtask_id: null, by: 'someone', limits });
    model.once('verifier', passing);
    await scene.claim();
    await scene.verify();
    expect(await scene.verdict()).toMatchObject({ outcome: 'pass', tier: 2 });
  });
});

describe('an interruption', () => {
  it('by a stop before it began ends the attempt', async () => {
    const scene = await endedAttempt({ spec: tier2 });
    scene.stop.abort();
    await scene.verify();
    expect(await scene.subtask()).toMatchObject({ status: 'skipped' });
    expect(await scene.verdict()).toBeUndefined();
  });

  it('by a stop during the model call ends the attempt', async () => {
    const gate = model.hold('verifier');
    const scene = await endedAttempt({ spec: tier2 });
    const verified = scene.verify();
    await gate.arrived;
    scene.stop.abort();
    await verified;
    expect(await scene.subtask()).toMatchObject({ status: 'skipped' });
    expect(await scene.verdict()).toBeUndefined();
  });

  it.each([{}, { max_model_calls: 9 }])('by a new plan ends it, budget %j', async (budget) => {
    const scene = await endedAttempt({ spec: tier2, budget });
    await rows(`UPDATE subtasks SET trail = '{"superseded": true}' WHERE task_id = $1`, [
      scene.unit.task_id,
    ]);
    await scene.verify();
    expect(await scene.events('subtask.outcome_stale')).toHaveLength(1);
    expect(await scene.verdict()).toBeUndefined();
    expect(model.requests).toEqual([]);
  });

  it.each([{}, { max_model_calls: 9 }])('by a pause parks it, budget %j', async (budget) => {
    const scene = await endedAttempt({ spec: tier2, budget });
    await scene.control({ kind: 'pause_requested', subtask_id: null, by: 'someone' });
    await scene.verify();
    expect(await scene.held()).toMatchObject({ status: 'parked', parked_for: 'pause' });
    model.once('verifier', passing);
    await scene.control({
      kind: 'resume_requested',
      subtask_id: null,
      by: 'someone',
      limits: null,
    });
    await scene.claim();
    await scene.verify();
    expect(await scene.verdict()).toMatchObject({ outcome: 'pass', tier: 2 });
  });

  it.each(['abort', 'drain'] as const)('by %s gives the unit back', async (signal) => {
    const scene = await endedAttempt({ spec: tier2 });
    scene[signal].abort();
    await expect(scene.verify()).rejects.toBeInstanceOf(UnitYield);
    expect(await scene.subtask()).toMatchObject({ status: 'verifying' });
    expect(model.requests).toEqual([]);
  });
});
