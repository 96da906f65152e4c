import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { subtask } from '@loom/testing/builders';
import { describe, expect, it } from 'vitest';
import { workspaceWith } from '../test-support/subject-fixtures.ts';
import { checkDeliverables } from './deliverables.ts';

const check = (workspace: string | null, ...deliverables: string[]) =>
  checkDeliverables({ spec: subtask('s', { deliverables }), workspace });

describe('checkDeliverables', () => {
  it.each([
    ['a file', 'a.md'],
    ['a file in a directory', './docs/b.md'],
    ['a directory', 'docs'],
    ['a directory with a slash', 'docs/'],
    ['a pattern', 'docs/*.md'],
    ['a pattern for directories', 'd*/b.md'],
    ['a pattern for any depth', '**/*.md'],
  ])('finds %s', async (_, deliverable) => {
    const workspace = await workspaceWith({ 'a.md': 'a', 'docs/b.md': 'b' });
    const { checks } = await check(workspace, deliverable);
    expect(checks).toMatchObject([
      { name: 'deliverable_exists', target: deliverable, passed: true, advisory: false },
    ]);
  });

  it.each([
    ['a missing file', 'none.md', /missing/],
    ['an empty directory', 'empty/', /empty directory/],
    ['a pattern without match', 'docs/*.txt', /missing/],
    ['a pattern that overlaps itself', 'docs/b.m*.md', /missing/],
    ['a link', 'link.md', /symbolic link/],
    ['a path outside', '../a.md', /outside/],
    ['a pattern outside', '../*', /missing/],
  ])('does not accept %s', async (_, deliverable, why) => {
    const workspace = await workspaceWith({ 'a.md': 'a', 'docs/b.md': 'b' });
    mkdirSync(join(workspace, 'empty'));
    symlinkSync(join(workspace, 'a.md'), join(workspace, 'link.md'));
    const { checks } = await check(workspace, deliverable);
    expect(checks).toMatchObject([{ target: deliverable, passed: false, advisory: false }]);
    expect(checks[0]?.detail).toMatch(why);
  });

  it('keeps the files it saw, and apart from them the content of directories', async () => {
    const workspace = await workspaceWith({ 'a.md': 'a', 'docs/b.md': 'b', 'docs/sub/c.md': 'c' });
    const { files, inside } = await check(workspace, 'a.md', 'docs/', 'a.md');
    expect(files).toMatchObject([
      { path: 'a.md', bytes: 1, sha256: expect.stringMatching(/^ca978112/) },
    ]);
    expect(inside).toMatchObject([{ path: 'docs/b.md' }]);
  });

  it('fails without a workspace', async () => {
    const { checks } = await check(null, 'a.md');
    expect(checks).toMatchObject([
      { passed: false, detail: expect.stringMatching(/no workspace/) },
    ]);
  });
});
