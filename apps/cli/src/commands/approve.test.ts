import { afterEach, describe, expect, it } from 'vitest';
import { anApproval } from '../testing/builders.ts';
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

const open = [anApproval({ id: 'apr_2', subtask_id: 'later' }), anApproval()];

async function run(args: string[], more: { tty?: boolean; stdin?: string } = {}) {
  gateway = await startScriptedGateway({
    'GET /api/approvals': json({ items: open, next_cursor: null }),
    'POST /api/approvals/apr_1': json(anApproval({ status: 'approved' })),
    'POST /api/approvals/apr_2': problem(409, 'conflict', 'This was denied already.'),
  });
  const said = await runCaptured(['approve', ...args, '--url', gateway.base_url], more);
  const decisions = gateway.heard.filter(({ method }) => method === 'POST');
  return { ...said, decisions: decisions.map(({ path, body }) => [path.split('/').at(-1), body]) };
}

describe('loom approve <id>', () => {
  it.each([
    [[], { decision: 'approve', scope: 'once' }],
    [['--always'], { decision: 'approve', scope: 'session' }],
    [
      ['--arguments', '{"command":"ls"}'],
      { decision: 'approve', scope: 'once', arguments: { command: 'ls' } },
    ],
    [['--deny', '--reason', 'not now'], { decision: 'deny', scope: 'once', reason: 'not now' }],
  ])('sends %j', async (args, body) => {
    const said = await run(['apr_1', ...args]);
    expect(said.decisions).toEqual([['apr_1', body]]);
    expect(said).toMatchObject({ code: 0, stdout: 'apr_1: approved\n' });
  });

  it('tells who was quicker, with 1', async () => {
    const said = await run(['apr_2']);
    expect(said).toMatchObject({ code: 1, stdout: '', stderr: 'This was denied already.\n' });
  });
});

describe('loom approve', () => {
  it('lists what waits for an answer', async () => {
    const { code, stdout } = await run(['--task', 'task_1']);
    expect(code).toBe(0);
    expect(stdout.split('\n')[2]).toMatch(
      /^apr_1 {2}tool {2}task_1 .* clean: shell_execute \{"command":"rm -rf build"\} \(deletes recursively\)$/,
    );
    expect(gateway?.heard[0]?.path).toBe('/api/approvals?status=pending&limit=200&task_id=task_1');
  });

  it('gives the page itself with --json, and asks nobody', async () => {
    const { stdout, decisions } = await run(['--json'], { tty: true, stdin: 'y\n' });
    expect(JSON.parse(stdout)).toEqual({ items: open, next_cursor: null });
    expect(decisions).toEqual([]);
  });

  it('asks whoever sits in front of it, oldest first, and goes on when others were quicker', async () => {
    const said = await run([], { tty: true, stdin: 'what\nA\nno\n' });
    expect(said.decisions).toEqual([
      ['apr_1', { decision: 'approve', scope: 'session' }],
      ['apr_2', { decision: 'deny', scope: 'once' }],
    ]);
    expect(said.stdout).toBe('apr_1: approved\n');
    expect(said.stderr).toContain('clean: shell_execute');
    expect(said.stderr).toContain('This was denied already.');
    expect(said.code).toBe(0);
  });

  it('leaves the rest unanswered when the input ends, or on demand', async () => {
    expect((await run([], { tty: true, stdin: 's\n' })).decisions).toEqual([]);
    await gateway?.close();
    expect((await run([], { tty: true, stdin: 'q\ny\n' })).decisions).toEqual([]);
  });
});
