import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { catalogTools } from '@loom/runner/catalog/catalog-tools';
import { todoToolSpecs } from '@loom/runner/todos/todo-tool-specs';
import { conversationToolSpecs } from '@loom/tools/conversation-tools';
import { deleteFileTool } from '@loom/tools/delete-file';
import { editFileTool } from '@loom/tools/edit-file';
import { gitCommandTool } from '@loom/tools/git-command';
import { globFindTool } from '@loom/tools/glob-find';
import { listDirectoryTool } from '@loom/tools/list-directory';
import { moveFileTool } from '@loom/tools/move-file';
import { readArtifactTool } from '@loom/tools/read-artifact';
import { readFileTool } from '@loom/tools/read-file';
import { recordDiscoveryTool } from '@loom/tools/record-discovery';
import type { ShellOptions } from '@loom/tools/sandbox/shell-options';
import { searchFilesTool } from '@loom/tools/search-files';
import { shellExecuteTool } from '@loom/tools/shell-execute';
import { toToolSpec } from '@loom/tools/tool-spec';
import { webFetchTool } from '@loom/tools/web-fetch';
import { writeFileTool } from '@loom/tools/write-file';
import { expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const text = readFileSync(join(root, 'docs/tools.md'), 'utf8');

const shell: ShellOptions = {
  allow_unsandboxed: false,
  network: false,
  hidden_paths: [],
  sandbox: { works: true, reason: null },
};
const tools = [
  readFileTool,
  writeFileTool,
  editFileTool,
  listDirectoryTool,
  searchFilesTool([]),
  globFindTool([]),
  moveFileTool,
  deleteFileTool,
  shellExecuteTool(shell),
  gitCommandTool(shell),
  webFetchTool({ timeout_ms: 1, max_bytes: 1, allow_private: false }),
  readArtifactTool,
  recordDiscoveryTool,
  ...Object.values(conversationToolSpecs),
  ...Object.values(todoToolSpecs),
  ...catalogTools(() => []),
];

/** The rows of the reference: `name`, arguments and effect. */
const rows = [...text.matchAll(/^\| `(\w+)` +\| ((?:`\w+\??`(?:, )?)+) +\| (\w+) +\|/gm)].map(
  ([, name = '', args = '', effect]) => [name, { args: args.trim(), effect }] as const,
);

test('docs/tools.md names every tool with its arguments and its effect', () => {
  const expected = tools.map((tool) => {
    const { name, input_schema } = toToolSpec(tool);
    const required = (input_schema.required ?? []) as string[];
    const args = Object.keys(input_schema.properties ?? {})
      .map((key) => `\`${key}${required.includes(key) ? '' : '?'}\``)
      .join(', ');
    return [name, { args, effect: tool.effect }] as const;
  });
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(expected));
});
