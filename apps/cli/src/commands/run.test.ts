import { afterEach, describe, expect, it } from 'vitest';
import { aTask } from '../testing/builders.ts';
import { runCaptured } from '../testing/run-captured.ts';
import {
  json,
  openStream,
  type ScriptedGateway,
  sendEvent,
  startScriptedGateway,
} from '../testing/scripted-gateway.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

type Log = { type: string; [key: string]: unknown }[];

async function withTask(task: ReturnType<typeof aTask>, log: Log, ...args: string[]) {
  gateway = await startScriptedGateway({
    'POST /api/tasks': json(task, 202),
    'GET /api/tasks/task_1': json(task),
    'GET /api/tasks/task_1/events': (request, response) => {
      if (request.headers.accept === 'application/json') {
        const after = Number(new URL(request.path, 'http://x').searchParams.get('after'));
        return json({ items: log.slice(after), next_cursor: null })(request, response);
      }
      openStream(response);
      log.forEach((event, index) => {
        sendEvent(response, index + 1, { task_id: 'task_1', data: {}, ...event });
      });
    },
  });
  return runCaptured([...args, '--url', gateway.base_url]);
}

const ended = { type: 'task.completed', data: { verification: 'verified' } };

describe('loom run', () => {
  it('shows progress on stderr, the summary on stdout, and ends with 0 when verified', async () => {
    const log = [{ type: 'subtask.started', subtask_id: 'haiku' }, ended];
    const { code, stdout, stderr } = await withTask(aTask(), log, 'run', 'Write a haiku');
    expect(code).toBe(0);
    expect(stdout).toBe('All done.\n');
    expect(stderr).toBe('▸ haiku started\n✓ task completed, verified\n');
    expect(gateway?.heard[0]?.body).toEqual({ goal: 'Write a haiku' });
    expect(gateway?.heard[0]?.headers['idempotency-key']).toMatch(/\w{8}/);
  });

  it.each([
    ['completed', 'partly_verified', 3],
    ['completed', 'unverified', 3],
    ['failed', 'failed', 1],
    ['cancelled', 'unverified', 1],
  ] as const)('ends a %s and %s task with %d', async (status, verification, expected) => {
    const log = [{ type: `task.${status}`, data: { verification } }];
    const { code } = await withTask(aTask({ status, verification }), log, 'run', 'x');
    expect(code).toBe(expected);
  });

  it('shows a question with the command that answers it', async () => {
    const data = {
      approval_id: 'apr_1',
      kind: 'tool',
      tool: 'move_file',
      arguments: {},
      reason: 'x',
    };
    const log = [{ type: 'approval.requested', subtask_id: 'haiku', data }, ended];
    const { stderr } = await withTask(aTask(), log, 'run', 'x');
    expect(stderr).toBe(
      '? haiku: move_file {} (x)\n' +
        '  answer with: loom approve apr_1   or   loom approve apr_1 --deny\n' +
        '✓ task completed, verified\n',
    );
  });

  it('gives the events as JSON lines', async () => {
    const { stdout, stderr } = await withTask(aTask(), [ended], 'run', 'x', '--json');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([{ seq: 1, task_id: 'task_1', ...ended }]);
    expect(stderr).toBe('');
  });
});

describe('loom watch', () => {
  it('goes on after an end that a retry took back', async () => {
    const log = [{ type: 'task.failed' }, { type: 'task.retried' }, ended];
    const { code, stderr } = await withTask(aTask(), log, 'watch', 'task_1');
    expect(stderr).toBe('✗ task failed\n↻ what failed runs again\n✓ task completed, verified\n');
    expect(code).toBe(0);
  });
});
