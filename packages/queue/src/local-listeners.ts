import type { Logger } from '@loom/shared/logger';
import type { Wake } from '@loom/shared/wake';

/** The listeners of one process; one that throws does not keep the others from hearing. */
export function createLocalListeners(logger: Logger) {
  const listeners = new Set<(wake: Wake) => void>();
  return {
    tell(wake: Wake): void {
      for (const listener of listeners) {
        try {
          listener(wake);
        } catch (err) {
          logger.error({ err }, 'a listener of the wake-up bus failed');
        }
      }
    },
    subscribe(listener: (wake: Wake) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
