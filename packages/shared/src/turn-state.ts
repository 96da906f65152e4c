import type { Failure } from './api.ts';
import type { NewEvent } from './events.ts';
import type { TurnStatus } from './statuses.ts';

/** What decides over a turn. */
export interface TurnState {
  status: TurnStatus;
  cancel_requested: boolean;
}

export type TurnInput =
  | { kind: 'accepted' }
  | { kind: 'claimed' }
  | { kind: 'parked'; on: 'task' | 'user' | 'approval' }
  /** It waits for a model that is limiting requests or not there. */
  | { kind: 'model_away'; seconds: number; reason: string }
  /** What it waited for came: it waits for a worker again. */
  | { kind: 'answered' }
  | { kind: 'finished' }
  | { kind: 'failed'; error: Failure }
  | { kind: 'stopped' }
  | { kind: 'stop_requested'; by: string };

/** What becomes of the turn's unit. */
export type TurnUnitFate = 'keep' | 'claim' | 'park' | 'wake' | 'done' | 'withdraw';

export interface TurnDecision {
  state: TurnState;
  events: NewEvent[];
  unit: TurnUnitFate;
}

export type DecideTurn = (state: TurnState, input: TurnInput) => TurnDecision;
