import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { closeChanges } from '@loom/db/file-changes/close-changes';
import { keepBefore } from '@loom/db/file-changes/keep-before';
import type { FileAfter, ToolContext, ToolDefinition } from '@loom/shared/tool';
import type { TestDatabase } from '@loom/testing/test-database';
import { deleteFileTool } from '@loom/tools/delete-file';
import { moveFileTool } from '@loom/tools/move-file';
import { writeFileTool } from '@loom/tools/write-file';
import type { TestGateway } from '../../test-support/test-gateway.ts';

type Client = Awaited<ReturnType<TestGateway['client']>>;

/** Who makes a call, of which task. */
export interface Hand {
  task_id: string;
  subtask_id: string;
  workspace: string;
  tenant_id?: string;
}

let calls = 0;

/** Tasks whose calls change real files and are recorded as a runner records them. */
export function changingWorld(gateway: TestGateway, database: TestDatabase) {
  const { database: db } = database;

  /** A task with the subtasks `a` and `b` in a workspace of its own, or in a given one. */
  async function startTask(client: Client, more: Record<string, unknown> = {}) {
    const workspace = await mkdtemp(join(gateway.root, 'w-'));
    const subtasks = ['a', 'b'].map((id) => ({ id, description: id }));
    const input = { goal: 'x', plan: { subtasks }, workspace, ...more };
    const { id } = await client.createTask(input);
    return { task_id: id, subtask_id: 'a', workspace: String(input.workspace) };
  }

  /** Makes a change by any deed that says what it left, with its row opened before and closed after. */
  async function record(
    hand: Hand,
    tool: string,
    deed: (keep: ToolContext['keep']['before']) => Promise<FileAfter[] | 'cut off'>,
  ): Promise<void> {
    const { task_id, subtask_id, workspace, tenant_id = 'default' } = hand;
    calls += 1;
    const unit_id = `${task_id}.${subtask_id}.1`;
    const call_key = `${unit_id}/0/${calls}`;
    const owner = { tenant_id, unit_id, task_id, subtask_id, attempt: 1 };
    const unit = { ...owner, session_id: null, turn_id: null };
    const changes = await deed((files) =>
      keepBefore(db, { unit, call_key, tool, workspace }, files),
    );
    if (changes !== 'cut off') await closeChanges(db.pool, [{ key: call_key, changes }]);
  }

  async function call<Input>(hand: Hand, tool: ToolDefinition<Input>, input: Input) {
    const { workspace, tenant_id = 'default' } = hand;
    await record(hand, tool.name, async (before) => {
      const output = await tool.run(input, {
        tenant_id,
        workspace,
        read_roots: [],
        network: false,
        signal: new AbortController().signal,
        call_key: '',
        keep: { before, artifact: async () => '', readArtifact: async () => null },
        progress: () => {},
      });
      return output.changes ?? [];
    });
  }

  return {
    startTask,
    record,
    write: (hand: Hand, path: string, content: string) =>
      call(hand, writeFileTool, { path, content }),
    remove: (hand: Hand, path: string) => call(hand, deleteFileTool, { path }),
    move: (hand: Hand, source: string, destination: string) =>
      call(hand, moveFileTool, { source, destination }),
    /** Ends the task, so that its files may be put back. */
    end: (client: Client, { task_id }: Hand) => client.controlTask(task_id, 'abort'),
  };
}

export type ChangingWorld = ReturnType<typeof changingWorld>;
