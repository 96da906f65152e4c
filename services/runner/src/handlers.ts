import { ownerOfUnit } from '@loom/db/unit-ids';
import type { Runtime } from '@loom/runtime/create-runtime';
import type { UnitHandlers } from '@loom/runtime/start-worker';
import type { Models } from '@loom/shared/chat';
import type { ObserveTool, ToolDefinition, ToolRegistry, ToolSource } from '@loom/shared/tool';
import { recordDiscoveryTool } from '@loom/tools/record-discovery';
import { createToolRegistry } from '@loom/tools/registry';
import { catalogTools } from './catalog/catalog-tools.ts';
import { handleDelivery } from './handle-delivery.ts';
import { handleExtraction } from './handle-extraction.ts';
import { handleSubtask } from './handle-subtask.ts';
import { handleTurn } from './handle-turn.ts';
import { createLiveTexts } from './live-text.ts';
import { turnTools } from './turn-tools.ts';

interface RunnerDeps {
  runtime: Runtime;
  models: Models;
  tools: ToolDefinition[];
  /** Tools of servers, which come and go. */
  mcp?: ToolSource;
  observe?: ObserveTool;
}

/** What a runner does with the jobs of its queues: turns, subtasks, deliveries and what is learnt. */
export function runnerHandlers(deps: RunnerDeps): UnitHandlers {
  const { runtime, models } = deps;
  const { db, config, logger } = runtime;
  const extractionDeps = { db, models, config, logger };
  const registry = {
    max_output_chars: config.limits.runner.max_tool_output_chars,
    observe: deps.observe,
  };
  const ownTools = [...deps.tools, recordDiscoveryTool as ToolDefinition];
  const external = async (tenant: string) => (await deps.mcp?.list(tenant)) ?? [];
  const live = createLiveTexts(runtime.bus);
  const subtaskDeps = { db, models, config, now: () => new Date() };
  return {
    turns: async (unit, context) => {
      const given = [...deps.tools, ...(await external(unit.tenant_id))];
      const tools = turnTools(db, unit, given, registry);
      await handleTurn({ runtime, models, live, tools }, unit, context);
    },
    subtasks: async (unit, context) => {
      const given = [...ownTools, ...(await external(unit.tenant_id))];
      const catalog = catalogTools(() => tools.list());
      const tools: ToolRegistry = createToolRegistry([...given, ...catalog], registry);
      await handleSubtask({ ...subtaskDeps, tools }, unit, context);
    },
    deliveries: (unit, context) =>
      ownerOfUnit(unit.unit_id).kind === 'extraction'
        ? handleExtraction(extractionDeps, unit, context)
        : handleDelivery({ db, settings: config.webhooks, now: () => new Date() }, unit, context),
  };
}
