import type { ToolDefinition } from '@loom/shared/tool';
import { editFileTool } from './edit-file.ts';
import { listDirectoryTool } from './list-directory.ts';
import { readFileTool } from './read-file.ts';
import type { ShellOptions } from './sandbox/shell-options.ts';
import { searchFilesTool } from './search-files.ts';
import { shellExecuteTool } from './shell-execute.ts';
import { writeFileTool } from './write-file.ts';

/** The tools that act on a workspace. */
export function builtinTools(options: { shell: ShellOptions }): ToolDefinition[] {
  return [
    readFileTool,
    writeFileTool,
    editFileTool,
    listDirectoryTool,
    searchFilesTool(options.shell.hidden_paths),
    shellExecuteTool(options.shell),
  ];
}
