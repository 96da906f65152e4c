import { commitTurn, type TurnChange, type TurnChangeResult } from '@loom/db/commit-turn';
import { findExhaustion } from '@loom/engine/budget';
import { decideTurn } from '@loom/engine/decide-turn';
import { nothingSpent } from '@loom/shared/budget';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Runtime } from '../create-runtime.ts';

/** Writes a turn's change as its owner does, and rings for what follows. */
export async function writeTurn(
  runtime: Runtime,
  unit: ClaimedUnit,
  change: Partial<TurnChange>,
): Promise<TurnChangeResult['outcome']> {
  const session_id = unit.session_id ?? '';
  const result = await commitTurn(
    runtime.db,
    {
      tenant_id: unit.tenant_id,
      session_id,
      turn_id: unit.unit_id,
      fence: unit,
      // Whoever does not say otherwise has read everything.
      known_message: Number.MAX_SAFE_INTEGER,
      messages: [],
      ledger: [],
      events: [],
      spent: nothingSpent,
      wants: null,
      expire: false,
      questions: null,
      input: null,
      awaiting_call_id: null,
      ...change,
    },
    { decide: decideTurn, findExhaustion },
  );
  if ('rings' in result) {
    runtime.announce({ rings: result.rings, streams: [session_id], stopped: [] });
  }
  return result.outcome;
}

/** Resolves when a signal fires. */
export function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
