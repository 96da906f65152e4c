import { assertNever } from '@loom/shared/assert-never';
import { isTerminalTurn } from '@loom/shared/statuses';
import type { TurnDecision, TurnInput, TurnState } from '@loom/shared/turn-state';

/** What an input means for a turn. Pure, and total: nothing changes a turn that has ended. */
export function decideTurn(state: TurnState, input: TurnInput): TurnDecision {
  if (isTerminalTurn(state.status)) return { state, events: [], unit: 'done' };
  switch (input.kind) {
    case 'accepted':
      return { state, events: [{ type: 'turn.queued', data: {} }], unit: 'keep' };
    case 'claimed':
      return claim(state);
    case 'parked':
      if (state.cancel_requested) return end(state, 'cancelled', 'done', {});
      return {
        state: { ...state, status: `awaiting_${input.on}` },
        events: [{ type: `turn.awaiting_${input.on}`, data: {} }],
        unit: 'park',
      };
    case 'model_away':
      if (state.cancel_requested) return end(state, 'cancelled', 'done', {});
      // To its readers it waits like a turn that has not begun: nobody is asked for anything.
      return {
        state: { ...state, status: 'queued' },
        events: [{ type: 'turn.parked', data: { seconds: input.seconds, reason: input.reason } }],
        unit: 'park',
      };
    case 'answered':
      return {
        state: { ...state, status: 'queued' },
        events: [{ type: 'turn.queued', data: { resumed: true } }],
        unit: 'wake',
      };
    case 'finished':
      return end(state, 'completed', 'done', {});
    case 'failed':
      return end(state, 'failed', 'done', { ...input.error });
    case 'stopped':
      return end(state, 'cancelled', 'done', {});
    case 'stop_requested':
      if (state.status === 'running') {
        return { state: { ...state, cancel_requested: true }, events: [], unit: 'keep' };
      }
      return end(state, 'cancelled', 'withdraw', { by: input.by });
    default:
      return assertNever(input);
  }
}

function claim(state: TurnState): TurnDecision {
  if (state.cancel_requested) return end(state, 'cancelled', 'done', {});
  const recovered = state.status === 'running';
  const resumed = !recovered && state.status !== 'queued';
  return {
    state: { ...state, status: 'running' },
    events: [{ type: recovered ? 'turn.recovered' : 'turn.started', data: { resumed } }],
    unit: 'claim',
  };
}

function end(
  state: TurnState,
  status: 'completed' | 'failed' | 'cancelled',
  unit: 'done' | 'withdraw',
  data: Record<string, unknown>,
): TurnDecision {
  return { state: { ...state, status }, events: [{ type: `turn.${status}`, data }], unit };
}
