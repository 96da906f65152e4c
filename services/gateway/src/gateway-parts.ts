import type { GatewayDeps } from './gateway-deps.ts';
import type { Identifier } from './identify.ts';
import type { Metrics } from './metrics.ts';
import type { CountRequest } from './rate-limit.ts';
import type { Streams } from './stream/open-stream.ts';

/** What the groups of routes share. */
export interface GatewayParts extends GatewayDeps {
  now: () => Date;
  identifier: Identifier;
  countRequest: CountRequest;
  streams: Streams;
  metrics: Metrics;
}
