import type { SessionState } from '@loom/shared/session-state';
import { foldSessionState, type NumberedMessage } from './fold-session-state.ts';

/** The state as it can be kept, and as it is known right now. */
interface AdvancedState {
  /** Up to the first message that is not known here: what waits in a later turn must not be passed over. */
  kept: SessionState;
  /** With everything that is known. */
  known: SessionState;
}

/** Takes messages into a state; they are given by number, perhaps with gaps. */
export function advanceSessionState(
  state: SessionState,
  messages: readonly NumberedMessage[],
): AdvancedState {
  const news = messages
    .filter(({ number }) => number > state.upto)
    .toSorted((a, b) => a.number - b.number);
  const gap = news.findIndex(({ number }, index) => number !== state.upto + 1 + index);
  const kept = foldSessionState(state, gap === -1 ? news : news.slice(0, gap));
  return { kept, known: foldSessionState(kept, news) };
}
