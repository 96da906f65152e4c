import { approvalModes } from '@loom/shared/approval';
import { describe, expect, it } from 'vitest';
import { gateCall, isDestructive } from './approval-gate.ts';

type Call = Parameters<typeof gateCall>[0];

function gate(overrides: Partial<Call>) {
  return gateCall({
    mode: 'auto',
    tool: 'write_file',
    effect: 'effectful',
    arguments: { path: 'a.txt', content: 'x' },
    allowed_tools: [],
    ...overrides,
  });
}

describe('what is always gated', () => {
  it.each(approvalModes)('asks in the mode %s, whatever was allowed', (mode) => {
    const answer = gate({
      mode,
      tool: 'shell_execute',
      arguments: { command: 'rm -rf build' },
      allowed_tools: ['shell_execute'],
    });
    expect(answer).toEqual({
      kind: 'ask',
      always: true,
      reason: 'It deletes directories and all they contain: rm -rf build',
    });
  });

  it('asks when a command cannot be read', () => {
    const answer = gate({ tool: 'shell_execute', arguments: { command: "echo 'x" } });
    expect(answer).toEqual({
      kind: 'ask',
      always: true,
      reason: "It cannot be read as a command, because a single quote is not closed: echo 'x",
    });
  });

  it.each<[string, unknown]>([
    ['shell_execute', { command: 'sudo ls' }],
    ['write_file', { path: '.env', content: '' }],
    ['write_file', { path: 'config/secrets.yml', content: '' }],
    ['edit_file', { path: '.ssh/config', old_str: 'a', new_str: 'b' }],
    ['move_file', { from: 'a', to: '.env' }],
    ['move_file', { source: '.env', destination: 'b' }],
    ['delete_file', { path: '.env.local' }],
    ['delete_file', { path: 'src', recursive: true }],
    ['git_command', { args: ['push', '--force'] }],
    ['git_command', { args: ['git', 'reset', '--hard'] }],
    ['git_command', { args: 'push origin +main' }],
    ['git_command', { command: 'git clean -fd' }],
    ['run_tool', { name: 'shell_execute', arguments: { command: 'rm -rf x' } }],
    ['run_tool', { tool: 'delete_file', args: { path: 'src', recursive: true } }],
    ['box__exec', { cmd: 'rm -rf x' }],
    ['box__exec', { command: ['sh', '-c', 'rm -rf x'] }],
    ['pg__query', { sql: 'drop table users' }],
    ['pg__query', { query: 'delete from users' }],
    ['fs__writeFile', { file_path: '.env' }],
    ['fs__remove', { paths: ['a', '.gnupg/x'] }],
    ['fs__remove_folder', { path: 'src', recursive: true }],
  ])('%s %j', (tool, args) => {
    expect(gate({ tool, arguments: args, mode: 'disabled' })).toMatchObject({ always: true });
    expect(isDestructive(tool, args)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['shell_execute', { command: 'echo "rm -rf /"' }],
    ['shell_execute', { command: 'npm test' }],
    ['shell_execute', {}],
    ['read_file', { path: '.env' }],
    ['search_files', { pattern: 'drop table users', path: '.ssh' }],
    ['write_file', { path: 'a.md', content: 'rm -rf / ; drop table users' }],
    ['edit_file', { path: 'a.sh', old_str: 'sudo', new_str: 'rm -rf x' }],
    ['delete_file', { path: 'a.txt' }],
    ['delete_file', { path: 'src', recursive: false }],
    ['git_command', { args: ['commit', '-m', 'push --force'] }],
    ['git_command', { args: 'status' }],
    ['run_tool', { name: 'run_tool', arguments: { command: 'rm -rf x' } }],
    ['github__search', { query: 'drop table users' }],
    ['fs__read', { path: '.env' }],
    ['fs__compute', { path: '.env' }],
    ['editor', { command: 'view', path: 'a.txt' }],
    ['anything', null],
    ['anything', 'rm -rf x'],
    ['anything', ['rm -rf x']],
  ])('but not %s %j', (tool, args) => {
    expect(gate({ tool, arguments: args })).toEqual({ kind: 'allow' });
    expect(isDestructive(tool, args)).toBe(false);
  });
});

describe('manual mode', () => {
  it('asks about every tool that may change something', () => {
    const asked = {
      kind: 'ask',
      always: false,
      reason: 'In manual mode every action that may change something is asked about: write_file',
    };
    expect(gate({ mode: 'manual' })).toEqual(asked);
    expect(gate({ mode: 'manual', effect: 'idempotent' })).toEqual(asked);
    expect(gate({ mode: 'manual', effect: null })).toEqual(asked);
    expect(gate({ mode: 'manual', tool: 'delegate_task' })).toMatchObject({ kind: 'ask' });
  });

  it('lets reading and what a person freed pass', () => {
    expect(gate({ mode: 'manual', tool: 'read_file', effect: 'read' })).toEqual({ kind: 'allow' });
    expect(gate({ mode: 'manual', allowed_tools: ['edit_file', 'write_file'] })).toEqual({
      kind: 'allow',
    });
    expect(gate({ mode: 'manual', allowed_tools: ['edit_file'] })).toMatchObject({ kind: 'ask' });
  });
});

it.each(['auto', 'confidence_threshold'] as const)(
  '%s asks about a delegation unless it was granted, and for nothing else',
  (mode) => {
    const delegation = { mode, tool: 'delegate_task', effect: 'effectful' } as const;
    expect(gate({ mode })).toEqual({ kind: 'allow' });
    expect(gate(delegation)).toMatchObject({ kind: 'ask', always: false });
    expect(gate({ ...delegation, allowed_tools: ['delegate_task'] })).toEqual({ kind: 'allow' });
  },
);

it('disabled asks for nothing else', () => {
  expect(gate({ mode: 'disabled' })).toEqual({ kind: 'allow' });
  const goal = { goal: 'rm -rf build', context: { command: 'rm -rf build' } };
  expect(isDestructive('delegate_task', goal)).toBe(false);
  expect(gate({ mode: 'disabled', tool: 'delegate_task', effect: null })).toEqual({
    kind: 'allow',
  });
});
