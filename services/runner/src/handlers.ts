import type { Runtime } from '@loom/runtime/create-runtime';
import type { UnitHandlers } from '@loom/runtime/start-worker';
import type { Models } from '@loom/shared/chat';
import type { ToolDefinition } from '@loom/shared/tool';
import { createToolRegistry } from '@loom/tools/registry';
import { handleSubtask } from './handle-subtask.ts';
import { handleTurn } from './handle-turn.ts';
import { createLiveTexts } from './live-text.ts';

interface RunnerDeps {
  runtime: Runtime;
  models: Models;
  tools: ToolDefinition[];
}

/** What a runner does with the jobs of its queues: turns and subtasks. */
export function runnerHandlers(deps: RunnerDeps): UnitHandlers {
  const { runtime, models } = deps;
  const { db, config } = runtime;
  const { max_tool_output_chars } = config.limits.runner;
  const tools = createToolRegistry(deps.tools, { max_output_chars: max_tool_output_chars });
  const live = createLiveTexts(runtime.bus);
  const subtaskDeps = { db, models, tools, config, now: () => new Date() };
  return {
    turns: (unit, context) => handleTurn({ ...deps, live }, unit, context),
    subtasks: (unit, context) => handleSubtask(subtaskDeps, unit, context),
  };
}
