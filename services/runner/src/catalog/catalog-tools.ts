import type { ToolDefinition, ToolInfo } from '@loom/shared/tool';
import { listToolsTool } from './list-tools.ts';
import { recordDecisionTool } from './record-decision.ts';
import { runToolTool } from './run-tool.ts';

/** What a turn has besides tools that act: the catalog of them all, and the note of a decision. */
export function catalogTools(list: () => readonly ToolInfo[]): ToolDefinition[] {
  return [listToolsTool(list), runToolTool, recordDecisionTool] as ToolDefinition[];
}
