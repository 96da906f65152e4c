import { beforeEach, expect, it } from 'vitest';
import { checkInvariants } from './invariants.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import type { Transcript } from './transcript.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  await database.rows(healthyTask);
  return () => database.drop();
});

const healthyTask = `
  INSERT INTO tenants (id) VALUES ('t') ON CONFLICT DO NOTHING;
  INSERT INTO tasks (id, tenant_id, goal, status, max_parallel, last_seq)
    VALUES ('task_1', 't', 'g', 'completed', 5, 3);
  INSERT INTO subtasks (task_id, id, tenant_id, position, spec, status, attempts)
    VALUES ('task_1', 'a', 't', 0, '{}', 'completed', 1);
  INSERT INTO attempts (task_id, subtask_id, number, tenant_id, status, tier)
    VALUES ('task_1', 'a', 1, 't', 'completed', 1);
  INSERT INTO verdicts (task_id, subtask_id, attempt, tenant_id, outcome, tier, conclusive,
      confidence, reason_code, severity_class, feedback, evidence, checks, missing_targets)
    VALUES ('task_1', 'a', 1, 't', 'pass', 1, true, 1, '', 'semantic', '', '[]', '[]', '[]');
  INSERT INTO units (id, tenant_id, queue, status, task_id, subtask_id, attempt)
    VALUES ('u1', 't', 'subtasks', 'done', 'task_1', 'a', 1);
  INSERT INTO tool_calls (key, tenant_id, unit_id, task_id, tool, effect, arguments, status)
    VALUES ('k1', 't', 'u1', 'task_1', 'shell_execute', 'effectful', '{}', 'done');
  INSERT INTO events (task_id, seq, tenant_id, type, at, data) VALUES
    ('task_1', 1, 't', 'task.queued', '2026-01-01T00:00:00.001Z', '{"b": 1, "a": 2}'),
    ('task_1', 2, 't', 'task.running', '2026-01-01T00:00:00.002Z', '{}'),
    ('task_1', 3, 't', 'task.completed', '2026-01-01T00:00:00.003Z', '{}')`;

function transcript(types: string[]): Transcript {
  const events = types.map((type, index) => ({
    id: String(index + 1),
    seq: index + 1,
    type,
    at: `2026-01-01T00:00:00.00${index + 1}Z`,
    data: index === 0 ? { a: 2, b: 1 } : {},
  }));
  return {
    stream: { kind: 'task', id: 'task_1' },
    events,
    live: [],
    reached: async () => {},
    when: async () => {},
    stop: async () => {},
  };
}

const recorder = (...seen: [string, number][]) => ({
  url: '',
  command: () => '',
  seen: () => new Map(seen),
  effects: () => [],
  close: async () => {},
});

const queue = (active: number) => async () => [
  {
    name: 'turns' as const,
    counts: { waiting: 0, prioritized: 0, active, delayed: 0, completed: 9, failed: 1 },
  },
];

it('accepts a task that ended as it should', async () => {
  await checkInvariants({
    database,
    recorder: recorder(['k1', 1]),
    transcripts: [transcript(['task.queued', 'task.running', 'task.completed'])],
    queueCounts: queue(0),
  });
});

it('accepts a repeat only when the ledger is in doubt, and an end only before a retry', async () => {
  await database.rows(`
    UPDATE tool_calls SET status = 'in_doubt';
    UPDATE events SET type = 'task.failed' WHERE seq = 1;
    UPDATE events SET type = 'task.retried' WHERE seq = 2`);
  await checkInvariants({ database, recorder: recorder(['k1', 2]) });
});

it('waits for what is still learnt from an ended task', async () => {
  await database.rows(`
    INSERT INTO units (id, tenant_id, queue, status, task_id, subtask_id, attempt)
      VALUES ('mem_task_1.a.1', 't', 'deliveries', 'waiting', 'task_1', 'a', 1)`);
  const checked = checkInvariants({ database });
  await database.rows(`UPDATE units SET status = 'done' WHERE queue = 'deliveries'`);
  await checked;
});

it.each([
  ['an open task', `UPDATE tasks SET status = 'running'`, 'task task_1 is running'],
  [
    'an open subtask',
    `UPDATE subtasks SET status = 'verifying'`,
    'subtask a of task_1 is verifying',
  ],
  ['a hole in a log', 'DELETE FROM events WHERE seq = 2', 'numbers {1,3} where 1..3 should be'],
  [
    'work after the end',
    `UPDATE events SET type = 'task.failed' WHERE seq = 1`,
    'task task_1: task.running follows task.failed',
  ],
  [
    'a log that ends otherwise than its task',
    `UPDATE events SET type = 'task.failed' WHERE seq = 3`,
    'task task_1 is completed but its log ends with task.failed',
  ],
  ['a missing verdict', 'DELETE FROM verdicts', 'verified attempt without verdict: 1 of a'],
  [
    'a claimed unit',
    `UPDATE units SET status = 'claimed', owner = 'w'`,
    'unit u1 is still claimed, owner w',
  ],
  [
    'a parked unit',
    `UPDATE units SET status = 'parked'`,
    'unit u1 is parked but its turn is missing',
  ],
  [
    'one attempt done twice',
    `INSERT INTO units (id, tenant_id, queue, status, task_id, subtask_id, attempt)
     VALUES ('u2', 't', 'subtasks', 'done', 'task_1', 'a', 1)`,
    '2 units did attempt 1 of a in task_1',
  ],
  [
    'an open intent',
    `UPDATE tool_calls SET status = 'intent'`,
    'call k1 was begun and never settled',
  ],
])('names %s', async (_, damage, complaint) => {
  await database.rows(damage);
  await expect(checkInvariants({ database, recorder: recorder(['k1', 1]) })).rejects.toThrow(
    complaint,
  );
});

it('names effects that happened twice or are not in the ledger', async () => {
  const check = checkInvariants({ database, recorder: recorder(['k1', 2], ['k2', 1]) });
  await expect(check).rejects.toThrow(
    /k1 happened 2 times, ledger says done[\s\S]*k2 is not in the ledger/,
  );
});

it('names a transcript that misses an event', async () => {
  const check = checkInvariants({
    database,
    transcripts: [transcript(['task.queued', 'task.running'])],
  });
  await expect(check).rejects.toThrow('transcript of task_1 differs at place 3: told undefined');
});
