import type { Database } from '@loom/db/database';
import { recallMessages } from '@loom/db/recall';
import type { ToolSpec } from '@loom/shared/chat';
import { toStorableText } from '@loom/shared/text';
import type { ToolDefinition } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import { conversationToolSpecs } from '@loom/tools/conversation-tools';
import { createToolRegistry } from '@loom/tools/registry';
import { toToolSpec } from '@loom/tools/tool-spec';

/** Tools that a turn carries out itself: one parks it, the other starts a task. */
export const parkingTools = ['ask_user', 'delegate_task'] as const;

export const parkingToolSpecs: ToolSpec[] = parkingTools.map((name) =>
  toToolSpec(conversationToolSpecs[name]),
);

const recallTimeoutMs = 10_000;

/** The workspace's tools and the archive of this very session. */
export function turnTools(
  db: Database,
  unit: ClaimedUnit,
  builtin: ToolDefinition[],
  maxOutputChars: number,
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
        request: spec.input.parse(input),
      });
      return { text: toStorableText(text) };
    },
  };
  return createToolRegistry([...builtin, recall], { max_output_chars: maxOutputChars });
}
