import { dataMarker } from '@loom/tools/confined/data-directory';
import { expect, it } from 'vitest';
import { workspaceWith } from '../test-support/subject-fixtures.ts';
import { lookAt } from './look-at.ts';

it("does not look into Loom's own data", async () => {
  const workspace = await workspaceWith({
    [`.loom/${dataMarker}`]: '',
    '.loom/admin.key': 'secret',
    'a.txt': 'a',
  });
  for (const path of ['.loom', '.loom/admin.key', '.loom/missing']) {
    expect(await lookAt(workspace, path)).toMatchObject({
      kind: 'unusable',
      reason: expect.stringContaining("Loom's own data"),
    });
  }
  expect(await lookAt(workspace, '.')).toEqual({
    kind: 'directory',
    entries: [{ name: 'a.txt', is_directory: false }],
  });
});
