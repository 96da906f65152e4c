import { AppError } from '@loom/shared/app-error';
import { configSchema } from '@loom/shared/config';
import { describe, expect, it } from 'vitest';
import { modelParkSeconds, parkForModel } from './model-park.ts';

const config = configSchema.parse({
  execution: {
    model_park_base_delay_seconds: 5,
    model_park_max_delay_seconds: 60,
    max_parked_seconds: 100,
  },
});
const limited = (details: Record<string, unknown> = {}) =>
  new AppError('model_rate_limited', 'The model "m" is limiting requests: slow', { details });

describe('modelParkSeconds', () => {
  it('is what the server asked for, however often and however long', () => {
    expect(modelParkSeconds(config, limited({ retry_after_ms: 1_500 }), 3)).toBe(1.5);
    expect(modelParkSeconds(config, limited({ retry_after_ms: 90_000 }), 0)).toBe(90);
  });

  it('doubles with each time in a row up to the maximum', () => {
    const seconds = [0, 1, 2, 3, 4, 2_000].map((n) => modelParkSeconds(config, limited(), n));
    expect(seconds).toEqual([5, 10, 20, 40, 60, 60]);
  });
});

describe('parkForModel', () => {
  it('parks for the model and says why', () => {
    const parking = { role: 'planner' as const, parked_seconds: 90, model_parks: 1 };
    expect(parkForModel(config, limited({ model: 'm' }), parking)).toEqual({
      park: { reason: 'model', seconds: 10 },
      events: [
        {
          type: 'model.parked',
          data: {
            reason: 'model_rate_limited',
            detail: 'The model "m" is limiting requests: slow',
            seconds: 10,
            role: 'planner',
            model: 'm',
          },
        },
      ],
    });
  });

  it('gives up when the time parked would exceed the limit', () => {
    const parking = { role: 'planner' as const, parked_seconds: 90.5, model_parks: 1 };
    expect(parkForModel(config, limited(), parking)).toBeNull();
    const long = limited({ retry_after_ms: 101_000 });
    expect(parkForModel(config, long, { ...parking, parked_seconds: 0 })).toBeNull();
  });
});
