import type { Database } from '@loom/db/database';
import { recallMessages } from '@loom/db/recall';
import type { ToolSpec } from '@loom/shared/chat';
import { toStorableText } from '@loom/shared/text';
import type { ToolDefinition, ToolInfo, ToolRegistry } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import { conversationToolSpecs } from '@loom/tools/conversation-tools';
import { createToolRegistry } from '@loom/tools/registry';
import { toToolSpec } from '@loom/tools/tool-spec';
import { catalogTools } from './catalog/catalog-tools.ts';
import { todoTools } from './todos/todo-tools.ts';

/** Tools that a turn carries out itself: one parks it, the other starts a task. */
const parkingTools = ['ask_user', 'delegate_task'] as const;

/** Whether the turn carries this tool out itself. */
export function isParking(name: string): boolean {
  return (parkingTools as readonly string[]).includes(name);
}

export const parkingToolSpecs: ToolSpec[] = parkingTools.map((name) =>
  toToolSpec(conversationToolSpecs[name]),
);

const recallTimeoutMs = 10_000;

/** The workspace's tools, the archive of this very session, the turn's todos and the catalog of them all. */
export function turnTools(
  db: Database,
  unit: ClaimedUnit,
  given: readonly ToolDefinition[],
  options: Parameters<typeof createToolRegistry>[1],
) {
  const spec = conversationToolSpecs.conversation_recall;
  const recall: ToolDefinition = {
    ...spec,
    timeout_ms: recallTimeoutMs,
    unavailable: () => null,
    run: async (input) => {
      const { text } = await recallMessages(db, {
        tenant_id: unit.tenant_id,
        session_id: unit.session_id ?? '',
        asking_turn_id: unit.turn_id ?? '',
        request: spec.input.parse(input),
      });
      return { text: toStorableText(text) };
    },
  };
  const registry: ToolRegistry = createToolRegistry(
    [
      ...given,
      recall,
      ...todoTools(db, unit),
      ...catalogTools(() => [...registry.list(), ...parked]),
    ],
    options,
  );
  return registry;
}

/** What the catalog says of the tools that a turn carries out itself. */
const parked: ToolInfo[] = parkingTools.map((name) => ({
  ...toToolSpec(conversationToolSpecs[name]),
  effect: conversationToolSpecs[name].effect,
  available: true,
  unavailable_reason: null,
}));
