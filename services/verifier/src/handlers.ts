import type { UnitHandlers } from '@loom/runtime/start-worker';
import { handleVerification, type VerifierDeps } from './handle-verification.ts';

/** What a verifier does with the jobs of its queue. */
export function verifierHandlers(deps: VerifierDeps): UnitHandlers {
  return { verifications: (unit, context) => handleVerification(deps, unit, context) };
}
