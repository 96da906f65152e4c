import type { ToolDefinition, ToolRegistry } from '@loom/shared/tool';
import { deleteFileTool } from './delete-file.ts';
import { editFileTool } from './edit-file.ts';
import { globFindTool } from './glob-find.ts';
import { listDirectoryTool } from './list-directory.ts';
import { moveFileTool } from './move-file.ts';
import { readFileTool } from './read-file.ts';
import { createToolRegistry } from './registry.ts';
import { searchFilesTool } from './search-files.ts';
import { writeFileTool } from './write-file.ts';

/** The file tools, and others if given, behind their registry, for tests. */
export function fileToolRegistry(
  hidden_paths: readonly string[] = [],
  others: readonly ToolDefinition[] = [],
): ToolRegistry {
  const tools: ToolDefinition[] = [
    readFileTool,
    writeFileTool,
    editFileTool,
    listDirectoryTool,
    searchFilesTool(hidden_paths),
    globFindTool(hidden_paths),
    moveFileTool,
    deleteFileTool,
    ...others,
  ];
  return createToolRegistry(tools, { max_output_chars: 20_000 });
}

/** Each way in which a file tool takes a path, and a call that uses it. */
export const pathCalls: [string, string, (path: string) => Record<string, string>][] = [
  ['read_file', 'path', (path) => ({ path })],
  ['write_file', 'path', (path) => ({ path, content: 'changed' })],
  ['edit_file', 'path', (path) => ({ path, old_str: 'canary', new_str: 'changed' })],
  ['list_directory', 'path', (path) => ({ path })],
  ['search_files', 'path', (path) => ({ path, pattern: '.' })],
  ['glob_find', 'path', (path) => ({ path, pattern: '**' })],
  ['move_file', 'source', (source) => ({ source, destination: 'moved/here' })],
  ['move_file', 'destination', (destination) => ({ source: 'mine.txt', destination })],
  ['delete_file', 'path', (path) => ({ path })],
];
