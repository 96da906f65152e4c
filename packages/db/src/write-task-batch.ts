import { emptyCourse, emptyTrail, packRecord } from '@loom/shared/task-course';
import type pg from 'pg';
import { closeChanges } from './file-changes/close-changes.ts';
import type { TaskBatch, TaskWork } from './task-batch.ts';

/** The one statement that makes a set of transitions true: state, events and next units together. */
const statement = `
WITH
task_in AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(id text, status text, verification text,
  plan_version int, plan_attempts int, cancel_mode text, errors jsonb, summary text, files_changed text[],
  last_seq bigint, tokens bigint, cost_micros bigint, model_calls int, tool_calls int, mutating_tool_calls int,
  limits jsonb, course jsonb, wake_at timestamptz, started boolean, ended boolean)),
task_out AS (
  UPDATE tasks t SET status = r.status, verification = r.verification, plan_version = r.plan_version,
    plan_attempts = r.plan_attempts, cancel_mode = r.cancel_mode, errors = r.errors, summary = r.summary,
    files_changed = r.files_changed, last_seq = r.last_seq, tokens_used = r.tokens,
    cost_micros = r.cost_micros, model_calls = r.model_calls, tool_calls = r.tool_calls,
    mutating_tool_calls = r.mutating_tool_calls, budget = r.limits, course = r.course, wake_at = r.wake_at,
    started_at = CASE WHEN r.started THEN coalesce(t.started_at, now()) ELSE t.started_at END,
    ended_at = CASE WHEN r.ended THEN coalesce(t.ended_at, now()) END
  FROM task_in r WHERE t.id = r.id),
plan_out AS (
  INSERT INTO plans (task_id, version, tenant_id, subtasks, degraded, reason, diff)
  SELECT task_id, version, tenant_id, subtasks, degraded, reason, diff FROM jsonb_to_recordset($2::jsonb)
    AS r(task_id text, version int, tenant_id text, subtasks jsonb, degraded boolean, reason text, diff jsonb)),
subtask_new AS (
  INSERT INTO subtasks (task_id, id, tenant_id, position, spec, status, verification, attempts,
    attempts_forgiven, deferrals, feedback, summary, error, trail)
  SELECT task_id, id, tenant_id, position, spec, status, verification, attempts, attempts_forgiven,
    deferrals, feedback, summary, error, trail
  FROM jsonb_to_recordset($3::jsonb) AS r(task_id text, id text, tenant_id text, position int, spec jsonb,
    status text, verification text, attempts int, attempts_forgiven int, deferrals int, feedback text,
    summary text, error jsonb, trail jsonb)),
subtask_out AS (
  UPDATE subtasks s SET status = r.status, verification = r.verification, attempts = r.attempts,
    attempts_forgiven = r.attempts_forgiven, deferrals = r.deferrals, feedback = r.feedback,
    summary = r.summary, error = r.error, trail = r.trail, spec = coalesce(r.spec, s.spec),
    position = coalesce(r.position, s.position)
  FROM jsonb_to_recordset($4::jsonb) AS r(task_id text, id text, status text, verification text, attempts int,
    attempts_forgiven int, deferrals int, feedback text, summary text, error jsonb, trail jsonb, spec jsonb,
    position int)
  WHERE s.task_id = r.task_id AND s.id = r.id),
attempt_out AS (
  INSERT INTO attempts AS a (task_id, subtask_id, number, tenant_id, status, tier, model, summary, error,
    files_changed, started_at, ended_at)
  SELECT task_id, subtask_id, number, tenant_id, coalesce(status, 'queued'), coalesce(tier, 0), model, summary,
    error, coalesce(files_changed, '{}'), CASE WHEN started THEN now() END, CASE WHEN ended THEN now() END
  FROM jsonb_to_recordset($5::jsonb) AS r(task_id text, subtask_id text, number int, tenant_id text, status text,
    tier int, model text, summary text, error jsonb, files_changed text[], started boolean, ended boolean)
  ON CONFLICT (task_id, subtask_id, number) DO UPDATE SET
    status = CASE WHEN excluded.status = 'queued' THEN a.status ELSE excluded.status END,
    model = coalesce(excluded.model, a.model), summary = coalesce(excluded.summary, a.summary),
    error = coalesce(excluded.error, a.error),
    files_changed = CASE WHEN excluded.files_changed = '{}' THEN a.files_changed ELSE excluded.files_changed END,
    started_at = coalesce(a.started_at, excluded.started_at),
    ended_at = coalesce(excluded.ended_at, a.ended_at)),
verdict_out AS (
  INSERT INTO verdicts (task_id, subtask_id, attempt, tenant_id, outcome, tier, conclusive, confidence,
    reason_code, severity_class, feedback, evidence, checks, missing_targets)
  SELECT task_id, subtask_id, attempt, tenant_id, outcome, tier, conclusive, confidence, reason_code,
    severity_class, feedback, evidence, checks, missing_targets
  FROM jsonb_to_recordset($6::jsonb) AS r(task_id text, subtask_id text, attempt int, tenant_id text, outcome text,
    tier int, conclusive boolean, confidence float8, reason_code text, severity_class text, feedback text,
    evidence jsonb, checks jsonb, missing_targets jsonb)
  ON CONFLICT (task_id, subtask_id, attempt) DO UPDATE SET outcome = excluded.outcome, tier = excluded.tier,
    conclusive = excluded.conclusive, confidence = excluded.confidence, reason_code = excluded.reason_code,
    severity_class = excluded.severity_class, feedback = excluded.feedback, evidence = excluded.evidence,
    checks = excluded.checks, missing_targets = excluded.missing_targets, created_at = now()),
event_out AS (
  INSERT INTO events (task_id, seq, tenant_id, type, session_id, subtask_id, attempt, data)
  SELECT task_id, seq, tenant_id, type, session_id, subtask_id, attempt, data
  FROM jsonb_to_recordset($7::jsonb) AS r(task_id text, seq bigint, tenant_id text, type text, session_id text,
    subtask_id text, attempt int, data jsonb)),
unit_new AS (
  INSERT INTO units (id, tenant_id, queue, status, epoch, starts, session_id, task_id, subtask_id, attempt, owner,
    lease_until, parked_for)
  SELECT id, tenant_id, queue, status, (status = 'claimed')::int, (status = 'claimed')::int,
    session_id, task_id, subtask_id, attempt, CASE WHEN status = 'claimed' THEN $8::text END,
    CASE WHEN status = 'claimed' THEN now() + $9::float8 * interval '1 second' END,
    CASE WHEN status = 'parked' THEN 'pause' END
  FROM jsonb_to_recordset($10::jsonb) AS r(id text, tenant_id text, queue text, session_id text, task_id text,
    subtask_id text, attempt int, status text)),
unit_out AS (
  UPDATE units u SET status = r.status, epoch = r.epoch, starts = r.starts, updated_at = now(),
    owner = CASE WHEN r.leased THEN $8 ELSE u.owner END,
    lease_until = CASE WHEN r.leased THEN now() + $9 * interval '1 second' END,
    dead_reason = coalesce(r.dead_reason, u.dead_reason), parked_for = r.parked_for,
    available_at = CASE WHEN r.status = 'parked' THEN now() + r.park_seconds * interval '1 second' END,
    parked_at = CASE WHEN r.parked_for IS NULL THEN NULL ELSE coalesce(u.parked_at, now()) END,
    parked_seconds = CASE WHEN r.leased AND u.parked_at IS NOT NULL
      THEN u.parked_seconds + extract(epoch FROM now() - u.parked_at) ELSE u.parked_seconds END,
    model_parks = CASE WHEN r.parked_for = 'model' THEN u.model_parks + 1
      WHEN r.leased AND r.epoch = u.epoch THEN 0 ELSE u.model_parks END
  FROM jsonb_to_recordset($11::jsonb) AS r(id text, status text, epoch int, starts int, leased boolean,
    dead_reason text, parked_for text, park_seconds float8)
  WHERE u.id = r.id),
journal_out AS (
  INSERT INTO attempt_messages (unit_id, seq, tenant_id, role, content, tool_calls, tool_call_id, tool_name)
  SELECT unit_id, seq, tenant_id, role, content, tool_calls, tool_call_id, tool_name
  FROM jsonb_to_recordset($12::jsonb) AS r(unit_id text, seq int, tenant_id text, role text, content text,
    tool_calls jsonb, tool_call_id text, tool_name text))
INSERT INTO tool_calls AS c (key, tenant_id, unit_id, task_id, subtask_id, attempt, tool, effect, arguments,
  status, result, exit_code, files_changed, ended_at)
SELECT key, tenant_id, unit_id, task_id, subtask_id, attempt, tool, effect, arguments, status, result, exit_code,
  files_changed, CASE WHEN status <> 'intent' THEN now() END
FROM jsonb_to_recordset($13::jsonb) AS r(key text, tenant_id text, unit_id text, task_id text, subtask_id text,
  attempt int, tool text, effect text, arguments jsonb, status text, result text, exit_code int,
  files_changed text[])
ON CONFLICT (key) DO UPDATE SET status = excluded.status, result = excluded.result,
  exit_code = excluded.exit_code, files_changed = excluded.files_changed, ended_at = excluded.ended_at`;

/** Writes a gathered set. Event numbers follow the task's last one, under its row lock. */
export async function writeTaskBatch(
  client: pg.ClientBase,
  batch: TaskBatch,
  lease: { owner: string; seconds: number },
): Promise<void> {
  const works = [...batch.tasks.values()];
  const parameters: unknown[] = [
    works.map(taskParameter),
    batch.plans,
    works.flatMap(newSubtasks),
    works.flatMap(changedSubtasks),
    [...batch.attempts.values()],
    batch.verdicts,
    works.flatMap(({ row, events }) =>
      events.map((event, index) => ({
        ...event,
        task_id: row.id,
        tenant_id: row.tenant_id,
        session_id: row.session_id,
        seq: row.last_seq + index + 1,
      })),
    ),
    lease.owner,
    lease.seconds,
    batch.newUnits,
    [...batch.unitPatches.values()],
    batch.journal,
    batch.ledger.map(({ unit, changes, ...entry }) => ({
      ...entry,
      files_changed: changes.map(({ path }) => path),
      task_id: unit.task_id,
      subtask_id: unit.subtask_id,
      attempt: unit.attempt,
    })),
  ];
  // Goes first: what a retry in the same set starts anew must not be taken back with the old.
  const withdrawn = withdrawUnits(client, batch);
  const written = client.query({
    name: 'write-task-batch',
    text: statement,
    values: parameters.map((value) => (Array.isArray(value) ? JSON.stringify(value) : value)),
  });
  await Promise.all([withdrawn, written, closeChanges(client, batch.ledger)]);
}

/** Takes back units that are not wanted any more; what this set finished or started is written after it. */
async function withdrawUnits(client: pg.ClientBase, batch: TaskBatch): Promise<void> {
  const wanted: { task_id: string; subtask_id: string | null }[] = [];
  for (const { row, withdraw } of batch.tasks.values()) {
    if (withdraw === 'none') continue;
    const ids = withdraw === 'all' ? [null] : withdraw;
    for (const subtask_id of ids) wanted.push({ task_id: row.id, subtask_id });
  }
  if (wanted.length === 0) return;
  await client.query({
    name: 'withdraw-units',
    // A delivery outlives the task that it tells of.
    text: `UPDATE units u SET status = 'withdrawn', updated_at = now()
      FROM unnest($1::text[], $2::text[]) AS r(task_id, subtask_id)
      WHERE u.task_id = r.task_id AND (r.subtask_id IS NULL OR u.subtask_id = r.subtask_id)
        AND u.queue <> 'deliveries' AND u.status IN ('waiting', 'claimed', 'parked')`,
    values: [wanted.map(({ task_id }) => task_id), wanted.map(({ subtask_id }) => subtask_id)],
  });
}

function taskParameter({ row, state, events, ended }: TaskWork) {
  const { subtasks: _, max_parallel: __, goal: ___, policy: ____, ...fields } = state;
  return {
    ...fields,
    ...state.spent,
    course: packRecord(state.course, emptyCourse),
    wake_at: state.wake_at === null ? null : new Date(state.wake_at).toISOString(),
    last_seq: row.last_seq + events.length,
    started: state.status !== 'queued',
    ended,
  };
}

function newSubtasks({ row, state, before }: TaskWork) {
  return state.subtasks.flatMap((subtask, position) => {
    if (before.has(subtask.id)) return [];
    const trail = packRecord(subtask.trail, emptyTrail);
    return [{ ...subtask, trail, task_id: row.id, tenant_id: row.tenant_id, position }];
  });
}

function changedSubtasks({ row, state, before }: TaskWork) {
  const places = new Map([...before.keys()].map((id, position) => [id, position]));
  return state.subtasks.flatMap((subtask, position) => {
    const old = before.get(subtask.id);
    const moved = places.get(subtask.id) !== position;
    if (old === undefined || (!moved && !differs(old, subtask))) return [];
    const { spec, ...fields } = subtask;
    const trail = packRecord(subtask.trail, emptyTrail);
    return [
      {
        ...fields,
        trail,
        task_id: row.id,
        ...(spec === old.spec ? {} : { spec }),
        ...(moved ? { position } : {}),
      },
    ];
  });
}

function differs<T extends object>(one: T, other: T): boolean {
  return (Object.keys(other) as (keyof T)[]).some((key) => one[key] !== other[key]);
}
