import type { JsonObject } from '@loom/shared/json';
import { expect, test } from 'vitest';
import { createWritePolicy } from './create-write-policy.ts';

const facts = {
  repairs: true,
  workspace: '/w',
  deliverables: ['./docs/report.md', 'out/'],
  others: ['docs/report-2.md'],
  files_changed_before: ['docs/report.md', 'docs/report-v2.md'],
};

const judge = (name: string, args: JsonObject, overrides: Partial<typeof facts> = {}) =>
  createWritePolicy({ ...facts, ...overrides })({ call: { id: '1', name, arguments: args } });

test('a repair writes no second version of a deliverable', () => {
  expect(judge('write_file', { path: 'docs/report-v3.md', content: 'x' })).toBe(
    'Edit the deliverable docs/report.md in place instead of writing docs/report-v3.md: a repair makes no second versions.',
  );
});

test.each([
  ['write_file', { path: './docs//report_copy.md' }],
  ['write_file', { path: '/w/docs/report_copy.md' }],
  ['write_file', { path: 'out-new/data.csv' }],
  ['edit_file', { path: 'docs/report-v2.md' }],
  ['move_file', { source: 'docs/report.md', destination: 'docs/report.md.bak' }],
  ['run_tool', { name: 'write_file', arguments: { path: 'docs/report-v3.md' } }],
])('%s %j is refused', (name, args) => {
  expect(judge(name, args)).toContain('in place');
});

test.each([
  ['the deliverable', 'write_file', { path: 'docs/report.md' }],
  ['a file of a deliverable directory', 'write_file', { path: 'out/data-v2.csv' }],
  ['a test beside it', 'write_file', { path: 'docs/report.test.md' }],
  ['a deliverable of another subtask', 'write_file', { path: 'docs/report-2.md' }],
  ['a file that was there before the task', 'edit_file', { path: 'docs/report-old.md' }],
  ['a second version that is taken away', 'delete_file', { path: 'docs/report-v2.md' }],
  [
    'a second version that takes its place',
    'move_file',
    { source: 'docs/report-v2.md', destination: 'docs/report.md' },
  ],
  ['reading', 'read_file', { path: 'docs/report-v2.md' }],
  ['arguments that make no sense', 'write_file', { path: 7 }],
  ['a tool that runs itself', 'run_tool', { name: 'run_tool', arguments: {} }],
])('%s is free', (_, name, args) => {
  expect(judge(name, args)).toBeNull();
});

test('a first attempt is free, and so is one that promises nothing', () => {
  const args = { path: 'docs/report-v3.md' };
  expect(judge('write_file', args, { repairs: false })).toBeNull();
  expect(judge('write_file', args, { deliverables: [] })).toBeNull();
});
