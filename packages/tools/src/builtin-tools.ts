import type { ToolDefinition } from '@loom/shared/tool';
import { createSnapshots } from './changes/snapshots.ts';
import { deleteFileTool } from './delete-file.ts';
import { editFileTool } from './edit-file.ts';
import { gitCommandTool } from './git-command.ts';
import { globFindTool } from './glob-find.ts';
import { listDirectoryTool } from './list-directory.ts';
import { moveFileTool } from './move-file.ts';
import type { FetchPageOptions } from './net/fetch-page.ts';
import { readArtifactTool } from './read-artifact.ts';
import { readFileTool } from './read-file.ts';
import type { ShellOptions } from './sandbox/shell-options.ts';
import { searchFilesTool } from './search-files.ts';
import { shellExecuteTool } from './shell-execute.ts';
import { webFetchTool } from './web-fetch.ts';
import { writeFileTool } from './write-file.ts';

interface BuiltinOptions {
  shell: ShellOptions;
  fetch: FetchPageOptions;
}

/** The tools that act on a workspace and on the world around it. */
export function builtinTools({ shell, fetch }: BuiltinOptions): ToolDefinition[] {
  // Commands and git look at the same workspaces, so what one has seen serves the other.
  const snapshots = createSnapshots();
  return [
    readFileTool,
    writeFileTool,
    editFileTool,
    listDirectoryTool,
    searchFilesTool(shell.hidden_paths),
    globFindTool(shell.hidden_paths),
    moveFileTool,
    deleteFileTool,
    shellExecuteTool(shell, snapshots),
    gitCommandTool(shell, snapshots),
    webFetchTool(fetch),
    readArtifactTool,
  ] as ToolDefinition[];
}
