import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolContext } from '@loom/shared/tool';
import { onTestFinished } from 'vitest';

/** A directory of the running test's own, removed when the test ends. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'loom-tools-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** The context of a call in a workspace. */
export function contextIn(workspace: string | null, signal?: AbortSignal): ToolContext {
  return { workspace, signal: signal ?? new AbortController().signal, call_key: 'call-1' };
}
