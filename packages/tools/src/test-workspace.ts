import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileBefore, StoredArtifact, ToolContext } from '@loom/shared/tool';
import { onTestFinished } from 'vitest';

/** A directory of the running test's own, removed when the test ends. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'loom-tools-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A context that keeps what calls tell it, for tests to look at. */
interface TestContext extends ToolContext {
  /** Pre-images, in the order in which calls gave them. */
  kept: FileBefore[];
  artifacts: Map<string, StoredArtifact>;
  printed: string[];
}

/** The context of a call in a workspace. */
export function contextIn(
  workspace: string | null,
  options: Partial<Pick<ToolContext, 'signal' | 'read_roots' | 'network'>> = {},
): TestContext {
  const kept: FileBefore[] = [];
  const artifacts = new Map<string, StoredArtifact>();
  const printed: string[] = [];
  return {
    tenant_id: 'default',
    workspace,
    read_roots: [],
    network: false,
    signal: new AbortController().signal,
    call_key: 'call-1',
    keep: {
      before: async (files) => {
        kept.push(...files);
      },
      artifact: async (artifact) => {
        const ref = `af_${artifacts.size + 1}`;
        artifacts.set(ref, { ...artifact, ref });
        return ref;
      },
      readArtifact: async (ref) => artifacts.get(ref) ?? null,
    },
    progress: (text) => {
      printed.push(text);
    },
    ...options,
    kept,
    artifacts,
    printed,
  };
}
