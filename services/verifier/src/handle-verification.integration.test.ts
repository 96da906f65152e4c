import { createTaskCommitter } from '@loom/db/commit-tasks';
import { insertTask } from '@loom/db/insert-task';
import { inTransaction } from '@loom/db/transaction';
import { decideTask } from '@loom/engine/decide-task';
import { createUnitContext } from '@loom/runtime/unit-context';
import { UnitYield } from '@loom/runtime/unit-yield';
import { AppError } from '@loom/shared/app-error';
import type { ModelInfo, ModelRequest, Models } from '@loom/shared/chat';
import { configSchema } from '@loom/shared/config';
import { newId } from '@loom/shared/ids';
import type { ClaimedUnit, LedgerEntry } from '@loom/shared/work';
import { plan, type SubtaskInput } from '@loom/testing/builders';
import { createTestDatabase } from '@loom/testing/test-database';
import { describe, expect, it } from 'vitest';
import { handleVerification } from './handle-verification.ts';
import { noShell as shell, workspaceWith } from './test-support/subject-fixtures.ts';

const { database: db, rows } = await createTestDatabase();
await rows("INSERT INTO tenants (id) VALUES ('default')");
const config = configSchema.parse({});
const usage = { tokens: 0, model_calls: 0, tool_calls: 0 };

/** An attempt that has just ended, its verification claimed by this test. */
async function endedAttempt(options: {
  spec?: Partial<SubtaskInput>;
  files?: Record<string, string>;
  ledger?: Partial<LedgerEntry>[];
}) {
  const claimed: ClaimedUnit[] = [];
  const committer = createTaskCommitter({
    db,
    decide: decideTask,
    owner: 'test',
    lease_seconds: 60,
    max_starts: 3,
    reserve: () => true,
    unreserve: () => undefined,
    after: (commit) => void claimed.push(...commit.claimed),
  });
  const id = newId('task');
  const files = options.files ?? { 'a.json': '{}' };
  const workspace = await workspaceWith(files);
  await inTransaction(db, (client) =>
    insertTask(
      client,
      {
        goal: 'test',
        context: {},
        workspace,
        process: null,
        approval_mode: 'disabled',
        callback_url: null,
        budget: {},
        metadata: {},
        session_id: null,
      },
      {
        id,
        tenant_id: 'default',
        turn_id: null,
        tool_call_id: null,
        turn_waits: false,
        depth: 0,
        max_parallel: 5,
      },
    ),
  );
  const spec = { id: 'one', description: 'Write a.json.', deliverables: ['a.json'] };
  await committer.add({
    kind: 'control',
    task_id: id,
    tenant_id: 'default',
    input: { kind: 'created', plan: plan({ ...spec, ...options.spec }) },
  });
  const [attempt] = claimed.splice(0);
  if (attempt === undefined) throw new Error('no attempt was claimed');
  const ledger = (options.ledger ?? []).map((entry, index) => ({
    key: `${attempt.unit_id}/${index}`,
    tool: 'write_file',
    effect: 'idempotent' as const,
    arguments: { path: 'a.json' },
    status: 'done' as const,
    result: '',
    exit_code: null,
    files_changed: [],
    ...entry,
  }));
  await committer.add({
    kind: 'work',
    task_id: id,
    fence: attempt,
    journal: [],
    journal_from: 0,
    ledger,
    events: [],
    usage,
    model: 'worker',
    input: {
      kind: 'attempt_done',
      subtask_id: 'one',
      attempt: 1,
      summary: 'All done.',
      files_changed: Object.keys(files),
    },
  });
  const [unit] = claimed;
  if (unit === undefined) throw new Error('no verification was claimed');
  const stop = new AbortController();
  const abort = new AbortController();
  const drain = new AbortController();
  const signals = { stop: stop.signal, abort: abort.signal, drain: drain.signal };
  const context = createUnitContext({ unit, signals, lost: () => false }, committer);
  return { unit, context, stop, abort, drain };
}

/** A verifier model that answers with this text, or fails with this error. */
function verifierThat(answer: string | Error | null) {
  const requests: ModelRequest[] = [];
  const info: ModelInfo = {
    name: 'judge',
    provider: 'demo',
    model: 'judge',
    roles: ['verifier'],
    tier: 2,
    context_tokens: 1_000,
    is_demo: false,
  };
  const models: Models = {
    list: () => [info],
    select: () => (answer === null ? null : info),
    complete: async (request) => {
      requests.push(request);
      request.signal?.throwIfAborted();
      if (typeof answer !== 'string') throw answer;
      const tokens = { input_tokens: 30, output_tokens: 4 };
      return { text: answer, tool_calls: [], usage: tokens, model: 'judge' };
    },
  };
  return { models, requests };
}

const passing = '{"outcome": "pass", "confidence": 0.9, "feedback": "Good.\\u0000"}';

async function verdictOf({ unit }: { unit: ClaimedUnit }) {
  const [verdict] = await rows('SELECT * FROM verdicts WHERE task_id = $1', [unit.task_id]);
  return verdict;
}

async function subtaskOf({ unit }: { unit: ClaimedUnit }) {
  const [row] = await rows('SELECT * FROM subtasks WHERE task_id = $1', [unit.task_id]);
  return row;
}

describe('tier 1', () => {
  it('completes a subtask whose checks pass, without asking a model', async () => {
    const scene = await endedAttempt({ ledger: [{}] });
    const { models, requests } = verifierThat(passing);
    await handleVerification({ db, models, config, shell }, scene.unit, scene.context);
    expect(await verdictOf(scene)).toMatchObject({
      outcome: 'pass',
      tier: 1,
      reason_code: 'checks_passed',
      evidence: [{ source: 'a.json', quote: expect.stringMatching(/^sha256 [0-9a-f]{64}$/) }],
    });
    expect(await subtaskOf(scene)).toMatchObject({ status: 'completed', verification: 'verified' });
    expect(requests).toEqual([]);
  });

  it('fails before a model is asked, and the next attempt hears why', async () => {
    const scene = await endedAttempt({ spec: { verification_tier: 2 }, files: {} });
    const { models, requests } = verifierThat(passing);
    await handleVerification({ db, models, config, shell }, scene.unit, scene.context);
    expect(await verdictOf(scene)).toMatchObject({
      outcome: 'fail',
      reason_code: 'deliverable_missing',
      missing_targets: ['a.json'],
    });
    expect(await subtaskOf(scene)).toMatchObject({
      attempts: 2,
      feedback: expect.stringMatching(/a\.json is missing/),
    });
    expect(requests).toEqual([]);
  });

  it('reports a call in doubt and a check that could not run', async () => {
    const scene = await endedAttempt({
      spec: { checks: ['true'] },
      ledger: [{ status: 'in_doubt', result: null }],
    });
    const { models } = verifierThat(passing);
    await handleVerification({ db, models, config, shell }, scene.unit, scene.context);
    expect(await verdictOf(scene)).toMatchObject({
      outcome: 'partial_verified',
      reason_code: 'check_not_run',
      feedback: expect.stringMatching(/is in doubt(.|\n)*true was not run: .*none here/),
    });
    expect(await subtaskOf(scene)).toMatchObject({ verification: 'partly_verified' });
  });
});

describe('tier 2', () => {
  const spec = { verification_tier: 2 };

  it('stores reply, event, usage and verdict in one commit', async () => {
    const scene = await endedAttempt({ spec });
    const { models, requests } = verifierThat(passing);
    await handleVerification({ db, models, config, shell }, scene.unit, scene.context);
    expect(await verdictOf(scene)).toMatchObject({
      outcome: 'pass',
      tier: 2,
      feedback: 'Good.\uFFFD',
    });
    expect(requests).toMatchObject([{ role: 'verifier', avoid_model: 'worker', tier: 1 }]);
    const { task_id, unit_id } = scene.unit;
    expect(
      await rows('SELECT seq, role FROM attempt_messages WHERE unit_id = $1', [unit_id]),
    ).toEqual([{ seq: 0, role: 'assistant' }]);
    expect(
      await rows('SELECT tokens_used::int AS tokens, model_calls FROM tasks WHERE id = $1', [
        task_id,
      ]),
    ).toEqual([{ tokens: 34, model_calls: 1 }]);
    expect(
      await rows(`SELECT data FROM events WHERE task_id = $1 AND type = 'model.call'`, [task_id]),
    ).toMatchObject([{ data: { role: 'verifier', model: 'judge', input_tokens: 30 } }]);
    // The attempt keeps the model that did the work.
    expect(await rows('SELECT model FROM attempts WHERE task_id = $1', [task_id])).toEqual([
      { model: 'worker' },
    ]);
  });

  it('is asked for by a synthesis, and can be switched off', async () => {
    const off = configSchema.parse({ verification: { tier2_enabled: false } });
    const synthesis = { is_synthesis: true };
    for (const [settings, tier] of [
      [config, 2],
      [off, 1],
    ] as const) {
      const scene = await endedAttempt({ spec: synthesis });
      const { models } = verifierThat(passing);
      await handleVerification({ db, models, config: settings, shell }, scene.unit, scene.context);
      expect(await verdictOf(scene)).toMatchObject({ outcome: 'pass', tier });
    }
  });

  it.each([
    ['no verifier', null, 'partial_verified', 'verifier_unavailable', 'unverified'],
    [
      'a failing verifier',
      new AppError('model_unavailable', 'it is down'),
      'pass_with_warnings',
      'verifier_failed',
      'unverified',
    ],
    ['prose', 'Fine!', 'pass_with_warnings', 'verifier_unreadable', 'verified'],
  ])('with %s is never a plain pass', async (_, answer, outcome, reason_code, verification) => {
    const scene = await endedAttempt({ spec });
    const { models } = verifierThat(answer);
    await handleVerification({ db, models, config, shell }, scene.unit, scene.context);
    expect(await verdictOf(scene)).toMatchObject({ outcome, reason_code, tier: 1 });
    expect(await subtaskOf(scene)).toMatchObject({ status: 'completed', verification });
  });

  it('uses an answer that stands in the journal instead of asking again', async () => {
    const scene = await endedAttempt({ spec });
    const content = '{"outcome": "fail", "reason_code": "stored", "feedback": "No."}';
    await scene.context.commit({ journal: [{ role: 'assistant', content }] });
    const { unit_id } = scene.unit;
    await rows('UPDATE units SET epoch = 2 WHERE id = $1', [unit_id]);
    scene.unit.epoch = 2;
    const { models, requests } = verifierThat(passing);
    await handleVerification({ db, models, config, shell }, scene.unit, scene.context);
    expect(await verdictOf(scene)).toMatchObject({ outcome: 'fail', reason_code: 'stored' });
    expect(requests).toEqual([]);
  });
});

describe('an interruption', () => {
  const spec = { verification_tier: 2 };

  it.each(['before it began', 'during the model call'])(
    'by a stop %s ends the attempt',
    async (at) => {
      const scene = await endedAttempt({ spec });
      const { models } = verifierThat(passing);
      const { complete } = models;
      models.complete = (request) => {
        scene.stop.abort();
        return complete(request);
      };
      if (at === 'before it began') scene.stop.abort();
      await handleVerification({ db, models, config, shell }, scene.unit, scene.context);
      expect(await subtaskOf(scene)).toMatchObject({ status: 'skipped' });
      expect(await verdictOf(scene)).toBeUndefined();
    },
  );

  it.each(['abort', 'drain'] as const)('by %s gives the unit back', async (signal) => {
    const scene = await endedAttempt({ spec });
    scene[signal].abort();
    const { models, requests } = verifierThat(passing);
    await expect(
      handleVerification({ db, models, config, shell }, scene.unit, scene.context),
    ).rejects.toBeInstanceOf(UnitYield);
    expect(await subtaskOf(scene)).toMatchObject({ status: 'verifying' });
    expect(requests).toEqual([]);
  });
});
