import { isDeepStrictEqual } from 'node:util';
import type { Database } from '@loom/db/database';
import { type EarlierEffect, findEarlierEffects } from '@loom/db/earlier-effects';
import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import type { ClaimedUnit } from '@loom/shared/work';
import type { PendingCall } from './pending-calls.ts';

/**
 * What an earlier attempt did that this call would do again; null when it did not, or when this
 * attempt repeats the call on purpose: its second call of a kind stands for their second, and so on.
 */
export async function earlierEffect(
  db: Database,
  unit: ClaimedUnit,
  journal: readonly ChatMessage[],
  { call }: PendingCall,
): Promise<EarlierEffect | null> {
  if ((unit.attempt ?? 1) <= 1) return null;
  const { name: tool, arguments: args } = call;
  const effects = await findEarlierEffects(db, unit, { tool, arguments: args });
  return effects[callsBefore(journal, call)] ?? null;
}

/** How often the attempt has asked for the very same call before this one. */
function callsBefore(journal: readonly ChatMessage[], call: ToolCall): number {
  const calls = journal.flatMap(({ tool_calls }) => tool_calls ?? []);
  const place = calls.findIndex(({ id }) => id === call.id);
  return calls
    .slice(0, place)
    .filter(
      ({ name, arguments: args }) => name === call.name && isDeepStrictEqual(args, call.arguments),
    ).length;
}
