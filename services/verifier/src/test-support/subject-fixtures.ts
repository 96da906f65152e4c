import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RecordedCall } from '@loom/db/load-attempt';
import type { CheckResult } from '@loom/shared/verdict';
import type { ShellOptions } from '@loom/tools/sandbox/shell-options';
import { temporaryDirectory } from '@loom/tools/test-workspace';
import { lookAt, type SeenFile } from '../checks/look-at.ts';

/** A machine on which no command can be run. */
export const noShell: ShellOptions = {
  allow_unsandboxed: false,
  network: false,
  hidden_paths: [],
  sandbox: { works: false, reason: 'none here' },
};

/** A workspace of the running test's own with these files in it. */
export async function workspaceWith(files: Record<string, string | Buffer>): Promise<string> {
  const workspace = await temporaryDirectory();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  return workspace;
}

/** A file as the checks see it. */
export async function seenFile(path: string, content: string | Buffer): Promise<SeenFile> {
  const seen = await lookAt(await workspaceWith({ [path]: content }), path);
  if (seen.kind !== 'file') throw new Error(`${path} is ${seen.kind}`);
  return seen;
}

/** A recorded call that succeeded, unless the fields say otherwise. */
export function recordedCall(fields: Partial<RecordedCall> = {}): RecordedCall {
  return {
    tool: 'write_file',
    effect: 'idempotent',
    arguments: { path: 'a.txt' },
    status: 'done',
    result: 'written',
    exit_code: null,
    files_changed: [],
    ...fields,
  };
}

/** A check that passed, unless the fields say otherwise. */
export function checkResult(fields: Partial<CheckResult> = {}): CheckResult {
  return { name: 'syntax', target: 'a', passed: true, advisory: false, detail: '', ...fields };
}
