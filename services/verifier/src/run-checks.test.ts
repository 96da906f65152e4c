import { subtask } from '@loom/testing/builders';
import { expect, it } from 'vitest';
import { runChecks } from './run-checks.ts';
import { noShell, recordedCall, workspaceWith } from './test-support/subject-fixtures.ts';

const runner = { shell: noShell, signal: new AbortController().signal, key: 'unit' };

async function run(files: Record<string, string>, deliverables: string[], checks: string[] = []) {
  const { checks: results, ...seen } = await runChecks(
    {
      spec: subtask('s', { deliverables, checks }),
      calls: [recordedCall({ status: 'failed', arguments: { path: 'other' } })],
      files_changed: Object.keys(files),
      workspace: await workspaceWith(files),
      read_roots: [],
    },
    runner,
  );
  const failed = results.filter(({ passed, advisory }) => !passed && !advisory);
  return { results, files: seen.files, failed: failed.map(({ name }) => name) };
}

it('forgives a failed call when the deliverables pass every other check', async () => {
  expect((await run({ 'a.json': '{}' }, ['a.json'])).failed).toEqual([]);
  expect((await run({ 'a.json': '{' }, ['a.json'])).failed).toEqual(['tool_success', 'syntax']);
  expect((await run({ 'a.json': '{}' }, [])).failed).toEqual(['tool_success']);
});

it('does not hold a command that could not run against the deliverables', async () => {
  expect((await run({ 'a.json': '{}' }, ['a.json'], ['true'])).failed).toEqual([]);
});

it('looks once at a file that is both declared and changed', async () => {
  const { results, files } = await run({ 'a.json': '{}', 'b.txt': 'b' }, ['./a.json']);
  expect(files.map(({ path }) => path)).toEqual(['a.json', 'b.txt']);
  expect(results.map(({ name, target }) => `${name} ${target}`)).toEqual([
    'tool_success write_file other',
    'deliverable_exists ./a.json',
    'file_not_empty a.json',
    'file_not_empty b.txt',
    'syntax a.json',
  ]);
});
