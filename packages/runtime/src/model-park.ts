import type { AppError } from '@loom/shared/app-error';
import type { ModelRole } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import type { UnitWork } from './unit-context.ts';

type Patience = Pick<Config, 'execution'>;

/** Who waits, how long it has waited for its model so far, and how often in a row. */
interface ModelWait {
  role: ModelRole;
  parked_seconds: number;
  model_parks: number;
}

/** How long to leave a model alone: as long as its server asks, else longer with each time in a row. */
export function modelParkSeconds({ execution }: Patience, error: AppError, parks: number): number {
  const asked = error.details.retry_after_ms;
  if (typeof asked === 'number') return asked / 1_000;
  const backoff = execution.model_park_base_delay_seconds * 2 ** parks;
  return Math.min(execution.model_park_max_delay_seconds, backoff);
}

/** What a unit commits to wait for its model without a worker; null when its patience is used up. */
export function parkForModel(
  config: Patience,
  error: AppError,
  { role, parked_seconds, model_parks }: ModelWait,
): Required<Pick<UnitWork, 'events' | 'park'>> | null {
  const seconds = modelParkSeconds(config, error, model_parks);
  if (parked_seconds + seconds > config.execution.max_parked_seconds) return null;
  const { model } = error.details;
  const data = { reason: error.code, detail: error.message, seconds, role, model: model ?? null };
  return { events: [{ type: 'model.parked', data }], park: { reason: 'model', seconds } };
}
