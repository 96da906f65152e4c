import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';

type Client = Awaited<ReturnType<TestGateway['client']>>;

let database: TestDatabase;
let gateway: TestGateway;
let user: Client;
let stranger: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
  user = await gateway.client(['user']);
  stranger = await gateway.client(['user'], 'other');
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

const plan = {
  subtasks: [
    { id: 'second', description: 'b' },
    { id: 'a-first', description: 'a' },
  ],
};
const newTask = async () => (await user.createTask({ goal: 'x', plan })).id;

async function judge(taskId: string, subtaskId: string, checks: unknown[], evidence: unknown[]) {
  await database.rows(
    `INSERT INTO verdicts (task_id, subtask_id, attempt, tenant_id, outcome, tier, conclusive, confidence,
       reason_code, severity_class, feedback, evidence, checks, missing_targets)
     VALUES ($1, $2, 1, 'default', 'fail', 2, true, 0.5, '', 'semantic', '', $3, $4, '[]')`,
    [taskId, subtaskId, JSON.stringify(evidence), JSON.stringify(checks)],
  );
}

it('shows what verdicts looked at, in the order of the plan', async () => {
  const id = await newTask();
  const path = `/api/tasks/${id}/evidence`;
  expect((await user.request('GET', path)).body).toEqual({ items: [] });
  const check = {
    name: 'command',
    target: 'npm test',
    detail: 'ok',
    advisory: false,
    exit_code: 0,
  };
  await judge(id, 'a-first', [{ ...check, passed: true }], []);
  await judge(
    id,
    'second',
    [
      {
        ...check,
        target: 'out.md',
        sha256: 'abc',
        passed: false,
        advisory: true,
        exit_code: undefined,
      },
      { ...check, passed: false, exit_code: 1 },
    ],
    [{ claim: '=SUM(A1)', source: 'out.md', quote: 'a "b",\nc' }],
  );
  const of = { subtask_id: 'second', attempt: 1 };
  const command = { kind: 'check', claim: 'command', source: 'npm test', quote: 'ok' };
  expect((await user.request('GET', path)).body).toEqual({
    items: [
      { ...of, ...command, source: 'out.md', outcome: 'pass_with_warnings', sha256: 'abc' },
      { ...of, ...command, outcome: 'fail', exit_code: 1 },
      {
        ...of,
        kind: 'model',
        claim: '=SUM(A1)',
        source: 'out.md',
        quote: 'a "b",\nc',
        outcome: 'fail',
      },
      { ...of, ...command, subtask_id: 'a-first', outcome: 'pass', exit_code: 0 },
    ],
  });
  const table = [
    'subtask_id,attempt,kind,claim,source,quote,outcome,exit_code,sha256',
    'second,1,check,command,out.md,ok,pass_with_warnings,,abc',
    'second,1,check,command,npm test,ok,fail,1,',
    `second,1,model,'=SUM(A1),out.md,"a ""b"",\nc",fail,,`,
    'a-first,1,check,command,npm test,ok,pass,0,',
    '',
  ].join('\r\n');
  const asked = await user.request('GET', path, undefined, { accept: 'text/csv' });
  expect(asked.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(asked.headers.get('content-disposition')).toBe(
    `attachment; filename="${id}-evidence.csv"`,
  );
  expect(asked.body).toBe(table);
  expect((await user.request('GET', `${path}.csv`)).body).toBe(table);
});

it('shows what was done, oldest first, in pages and within bounds', async () => {
  const id = await newTask();
  const path = `/api/tasks/${id}/actions`;
  expect((await user.request('GET', path)).body).toEqual({ items: [], next_cursor: null });
  await database.rows(
    `INSERT INTO tool_calls (key, tenant_id, unit_id, task_id, subtask_id, attempt, tool, effect, arguments,
       status, exit_code, files_changed, started_at, ended_at)
     SELECT $1 || '.' || n, 'default', $1 || '.a', $1, 'second', 1, 'write_file', 'idempotent',
       CASE WHEN n = 1 THEN jsonb_build_object('path', 'x', 'content', repeat('y', 100000))
         ELSE jsonb_build_object('path', n) END,
       CASE WHEN n = 3 THEN 'intent' ELSE 'done' END, 0, ARRAY['x'],
       '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 s',
       CASE WHEN n = 3 THEN NULL ELSE '2026-01-01T00:01:00Z'::timestamptz END
     FROM generate_series(1, 3) n`,
    [id],
  );
  const first = await user.request('GET', `${path}?limit=2`);
  const { items, next_cursor } = first.body as {
    items: { arguments: unknown }[];
    next_cursor: string;
  };
  expect(items).toMatchObject([
    { key: `${id}.1`, arguments_cut: true },
    {
      key: `${id}.2`,
      subtask_id: 'second',
      attempt: 1,
      tool: 'write_file',
      effect: 'idempotent',
      status: 'done',
      arguments: { path: 2 },
      arguments_cut: false,
      exit_code: 0,
      files_changed: ['x'],
      started_at: '2026-01-01T00:00:02.000Z',
      ended_at: '2026-01-01T00:01:00.000Z',
    },
  ]);
  expect(String(items[0]?.arguments)).toHaveLength(2_000);
  expect(JSON.stringify(first.body).length).toBeLessThan(4_000);
  const rest = await user.request('GET', `${path}?cursor=${next_cursor}`);
  expect(rest.body).toMatchObject({
    items: [{ key: `${id}.3`, status: 'intent', ended_at: null }],
    next_cursor: null,
  });
});

it('shows plans with what they changed, repairs, and what was spent', async () => {
  const task = await user.createTask({
    goal: 'x',
    plan,
    approval_mode: 'disabled',
    callback_url: 'https://example.com/done',
  });
  const remediation = {
    id: 'rem_1',
    subtask_id: 'second',
    strategy: 'generic',
    reason_code: 'x',
    blocking: true,
    status: 'queued',
    attempts: 1,
    due_at: Date.parse('2026-01-01T00:00:00.000Z'),
    expires_at: Date.parse('2026-01-02T00:00:00.000Z'),
    terminal_reason: null,
  };
  await database.rows(
    `UPDATE tasks SET cost_micros = 1500000, mutating_tool_calls = 4, course = $2 WHERE id = $1`,
    [task.id, JSON.stringify({ replans: 2, remediation_attempts: 1, remediations: [remediation] })],
  );
  await database.rows(
    `INSERT INTO plans (task_id, version, tenant_id, subtasks, reason, diff)
     SELECT task_id, 2, tenant_id, subtasks, 'discovery',
       '{"added": ["c"], "changed": [], "kept": ["second"]}' FROM plans WHERE task_id = $1`,
    [task.id],
  );
  const shown = await user.getTask(task.id);
  expect(shown).toMatchObject({
    approval_mode: 'disabled',
    callback_url: 'https://example.com/done',
    budget_used: { cost_usd: 1.5, mutating_tool_calls: 4, replans: 2, remediation_attempts: 1 },
    remediations: [
      { id: 'rem_1', due_at: '2026-01-01T00:00:00.000Z', expires_at: '2026-01-02T00:00:00.000Z' },
    ],
    plans: [
      { version: 1, degraded: false, subtasks: [{ id: 'second' }, { id: 'a-first' }] },
      { version: 2, reason: 'discovery', diff: { added: ['c'], changed: [], kept: ['second'] } },
    ],
  });
  const listed = await user.request('GET', '/api/tasks?limit=1');
  expect(listed.body).toMatchObject({ items: [{ id: task.id, budget_used: shown.budget_used }] });
});

it('shows it to nobody else', async () => {
  const id = await newTask();
  for (const part of ['evidence', 'evidence.csv', 'actions']) {
    expect((await stranger.request('GET', `/api/tasks/${id}/${part}`)).status).toBe(404);
    expect((await user.request('GET', `/api/tasks/task_none/${part}`)).status).toBe(404);
  }
});
