import { afterEach, describe, expect, it } from 'vitest';
import { runCaptured } from '../testing/run-captured.ts';
import {
  json,
  problem,
  type ScriptedGateway,
  startScriptedGateway,
} from '../testing/scripted-gateway.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

type Routes = Parameters<typeof startScriptedGateway>[0];

async function run(routes: Routes, args: string[], more: { tty?: boolean; stdin?: string } = {}) {
  gateway = await startScriptedGateway(routes);
  return runCaptured([...args, '--url', gateway.base_url], more);
}

describe('loom files', () => {
  const page = {
    items: [
      {
        path: 'a.txt',
        status: 'modified',
        changes: [
          { tool: 'write_file', subtask_id: 'one' },
          { tool: 'write_file', subtask_id: 'one' },
          { tool: 'revert', subtask_id: null },
        ],
        revertible: false,
        reason: 'it was changed later by task t2',
      },
    ],
    next_cursor: null,
  };
  const routes = { 'GET /api/tasks/task_1/files': json(page) };

  it('lists files with who changed them and whether they can be put back', async () => {
    const { code, stdout } = await run(routes, ['files', 'task_1', '--subtask', 'one']);
    expect(code).toBe(0);
    expect(stdout.split('\n')[1]).toBe(
      'modified  a.txt  one, revert  no: it was changed later by task t2',
    );
    expect(gateway?.heard[0]?.path).toBe('/api/tasks/task_1/files?limit=20&subtask_id=one');
  });

  it('gives the page itself with --json', async () => {
    const { stdout } = await run(routes, ['files', 'task_1', '--json']);
    expect(JSON.parse(stdout)).toEqual(page);
  });
});

describe('loom diff', () => {
  const items = ['--- a/x\n+++ b/x\n-1\r\n+\u001b[2J\r\n', '# y is a binary file\n'].map(
    (diff) => ({ path: 'x', status: 'modified', diff }),
  );
  const routes = { 'GET /api/tasks/task_1/diff': json({ items }) };

  it('prints one patch, byte for byte', async () => {
    const { code, stdout, stderr } = await run(routes, ['diff', 'task_1', 'x', '--subtask', 's']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(items.map(({ diff }) => diff).join(''));
    expect(gateway?.heard[0]?.path).toBe('/api/tasks/task_1/diff?path=x&subtask_id=s');
  });

  it('gives the answer itself with --json, and nothing besides', async () => {
    const { stdout } = await run(routes, ['diff', 'task_1', '--json']);
    expect(JSON.parse(stdout)).toEqual({ items });
  });

  it('says when there is nothing', async () => {
    const nothing = { 'GET /api/tasks/task_1/diff': json({ items: [] }) };
    const said = await run(nothing, ['diff', 'task_1']);
    expect(said).toEqual({ code: 0, stdout: '', stderr: 'no changes\n' });
  });
});

describe('loom revert', () => {
  const answer = {
    revert_id: 'rev_1',
    reverted: [{ path: 'a', action: 'restored' }],
    unchanged: ['b'],
  };
  const route = 'POST /api/tasks/task_1/revert';
  const routes = { [route]: json(answer) };

  it('tells what it did and how to take it back', async () => {
    const { code, stdout, stderr } = await run(routes, ['revert', 'task_1', '--yes']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'restored a\n' });
    expect(stderr).toBe('unchanged b\nto take it back: loom revert task_1 --revert rev_1\n');
    expect(gateway?.heard[0]).toMatchObject({ body: {} });
    expect(gateway?.heard[0]?.headers['idempotency-key']).toBeDefined();
  });

  it.each([
    [['--path', 'x'], { path: 'x' }],
    [['--subtask', 's'], { subtask_id: 's' }],
    [['--revert', 'rev_0'], { revert_id: 'rev_0' }],
  ])('sends %j', async (args, body) => {
    await run(routes, ['revert', 'task_1', '--yes', ...args]);
    expect(gateway?.heard[0]?.body).toEqual(body);
  });

  it('asks nobody without a terminal, and does nothing without --yes', async () => {
    const { code, stderr } = await run(routes, ['revert', 'task_1']);
    expect({ code, heard: gateway?.heard }).toEqual({ code: 2, heard: [] });
    expect(stderr).toMatch(/--yes/);
  });

  it.each([
    ['y\n', 0, 1],
    ['YES\n', 0, 1],
    ['n\n', 1, 0],
    ['\n', 1, 0],
    ['', 1, 0],
  ])('asks whoever sits in front of it: %j', async (stdin, code, requests) => {
    const said = await run(routes, ['revert', 'task_1', '--path', 'x'], { tty: true, stdin });
    expect(said.code).toBe(code);
    expect(gateway?.heard).toHaveLength(requests);
    expect(said.stderr).toContain('revert x of task_1? [y]es, [n]o: ');
  });

  it('gives the answer with --json', async () => {
    const { stdout } = await run(routes, ['revert', 'task_1', '--yes', '--json']);
    expect(JSON.parse(stdout)).toEqual(answer);
  });

  it('tells of each file why it must stay, with 1', async () => {
    const errors = [{ path: 'a', message: 'it was changed later by task t2' }];
    const refuse = problem(409, 'revert_conflict', 'Nothing was reverted.', errors);
    const { code, stderr } = await run({ [route]: refuse }, ['revert', 'task_1', '--yes']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Nothing was reverted.\n  a: it was changed later by task t2\n',
    });
  });
});
