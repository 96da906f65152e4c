import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { checkInvariants } from '@loom/testing/invariants';
import { type Reply, text, toolCalls } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { probeSandbox } from '@loom/tools/sandbox/probe-sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const example = join(root, 'examples/typescript-project');
const toolchain = join(root, 'node_modules');
const sandbox = await probeSandbox();

interface Step {
  write?: string[];
  edit?: Record<string, string>;
  run?: string;
  say?: string;
}

const read = async (path: string): Promise<string> =>
  (await readFile(join(example, path), 'utf8')).replaceAll('{{toolchain}}', toolchain);

async function replyFor({ write = [], edit, run, say = '' }: Step): Promise<Reply> {
  const calls = await Promise.all(
    write.map(async (path) => ({
      name: 'write_file',
      arguments: { path, content: await read(`written/${path}`) },
    })),
  );
  if (edit !== undefined) return toolCalls([{ name: 'edit_file', arguments: edit }]);
  if (run !== undefined) {
    return toolCalls([{ name: 'shell_execute', arguments: { command: run } }]);
  }
  return calls.length > 0 ? toolCalls(calls) : text(say);
}

describe.skipIf(!sandbox.works)('the example of a TypeScript project (needs bubblewrap)', () => {
  let model: ScriptedModel;
  let cluster: Cluster;

  beforeAll(async () => {
    model = await startScriptedModel();
    cluster = await startCluster({
      model,
      config: { execution: { shell_network: false, allow_unsandboxed_shell: false } },
      roots: [toolchain],
    });
  }, 120_000);
  afterAll(() => cluster.stop());

  test('is made, tested in the sandbox, corrected, verified by command, and can be undone', async () => {
    const { plan, steps, verdict } = JSON.parse(await read('model.json')) as {
      plan: { subtasks: { id: string; description: string }[] };
      steps: Record<string, Step[]>;
      verdict: unknown;
    };
    model.on('planner', text(JSON.stringify(plan)));
    model.on('verifier', text(JSON.stringify(verdict)));
    for (const { id, description } of plan.subtasks) {
      model.on({ role: 'executor', prompt: description }, (_request, match) =>
        replyFor(steps[id]?.[match - 1] ?? { say: 'Nothing is left to do.' }),
      );
    }
    const { client } = cluster;
    const workspace = await cluster.newWorkspace();
    const { id } = await client.createTask({
      goal: await read('goal.txt'),
      workspace,
      read_roots: [toolchain],
      approval_mode: 'disabled',
    });
    const task = await client.waitForTask(id);
    expect(task).toMatchObject({ status: 'completed', verification: 'verified' });
    expect(task.subtasks.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1, 1]);

    const results = (await client.getEvents(id)).filter(
      ({ type, data }) => type === 'tool.result' && data.tool === 'shell_execute',
    );
    expect(results.map(({ data }) => data.text)).toEqual(['exit code 1', 'exit code 0']);
    const evidence = await client.get(`/api/tasks/${id}/evidence`);
    expect(JSON.stringify(evidence)).toContain('node --test dist/');
    expect(await readFile(join(workspace, 'src/temperature.ts'), 'utf8')).toContain('+ 32');

    await checkInvariants({ ...cluster });

    const { items } = (await client.get(`/api/tasks/${id}/files`)) as {
      items: { path: string; status: string; revertible: boolean; changes: unknown[] }[];
    };
    const made = new Map(items.map(({ path, status }) => [path, status]));
    expect([...new Set(made.values())]).toEqual(['created']);
    // What commands made is on record like what tools wrote.
    for (const path of ['src/temperature.ts', 'README.md', 'dist/temperature.js']) {
      expect(made.get(path)).toBe('created');
    }
    const code = items.find(({ path }) => path === 'src/temperature.ts');
    expect(code).toMatchObject({ revertible: true, changes: { length: 2 } });
    await client.post(`/api/tasks/${id}/revert`, {});
    const left = await readdir(workspace, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([]);
  });
});
