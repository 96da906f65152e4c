import { subtask } from '@loom/testing/builders';
import { probeSandbox } from '@loom/tools/sandbox/probe-sandbox';
import { describe, expect, it } from 'vitest';
import { noShell, workspaceWith } from '../test-support/subject-fixtures.ts';
import { type CommandRunner, checkCommands, isNotRun } from './commands.ts';

const sandbox = await probeSandbox();
const shell = { allow_unsandboxed: true, network: false, hidden_paths: [], sandbox };
const runner: CommandRunner = { shell, signal: new AbortController().signal, key: 'unit' };

const check = (workspace: string | null, checks: string[], fields: Partial<CommandRunner> = {}) =>
  checkCommands(
    { spec: subtask('s', { checks }), workspace, read_roots: [] },
    { ...runner, ...fields },
  );

describe('checkCommands', () => {
  it('runs each command in the workspace and keeps exit code and output', async () => {
    const workspace = await workspaceWith({ 'a.txt': 'hello\n' });
    const results = await check(workspace, ['cat a.txt', 'echo broken; exit 3', 'true']);
    expect(results).toEqual([
      {
        name: 'command',
        target: 'cat a.txt',
        passed: true,
        advisory: false,
        detail: 'hello',
        exit_code: 0,
      },
      {
        name: 'command',
        target: 'echo broken; exit 3',
        passed: false,
        advisory: false,
        detail: 'broken',
        exit_code: 3,
      },
      {
        name: 'command',
        target: 'true',
        passed: true,
        advisory: false,
        detail: '[no output]',
        exit_code: 0,
      },
    ]);
    expect(results.some(isNotRun)).toBe(false);
  });

  it.each([
    ['without a sandbox', '/tmp', noShell],
    ['without a workspace', null, shell],
    ['in a workspace that is gone', '/tmp/loom-no-such-workspace', shell],
  ])('says that it was not run %s', async (_, workspace, options) => {
    const results = await check(workspace, ['true'], { shell: options });
    expect(results).toMatchObject([
      { passed: false, advisory: true, detail: expect.stringMatching(/^was not run: /) },
    ]);
    expect(results.every(isNotRun)).toBe(true);
  });

  it('throws when it is aborted instead of judging', async () => {
    const workspace = await workspaceWith({});
    const signal = AbortSignal.timeout(50);
    await expect(check(workspace, ['sleep 60'], { signal })).rejects.toThrow();
  });
});
