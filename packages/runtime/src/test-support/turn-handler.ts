import { commitTurn, type TurnChange } from '@loom/db/commit-turn';
import { decideTurn } from '@loom/engine/decide-turn';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Runtime } from '../create-runtime.ts';

/** Writes a turn's change as its owner does, and rings for what follows. */
export async function writeTurn(
  runtime: Runtime,
  unit: ClaimedUnit,
  change: Partial<TurnChange>,
): Promise<'applied' | 'not_parked' | 'refused'> {
  const session_id = unit.session_id ?? '';
  const result = await commitTurn(
    runtime.db,
    {
      tenant_id: unit.tenant_id,
      session_id,
      turn_id: unit.unit_id,
      fence: unit,
      messages: [],
      ledger: [],
      events: [],
      usage: { tokens: 0, model_calls: 0, tool_calls: 0 },
      input: null,
      awaiting_call_id: null,
      ...change,
    },
    decideTurn,
  );
  if (result.outcome === 'applied') {
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
