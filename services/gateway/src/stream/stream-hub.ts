import type { LiveMessage } from '@loom/shared/events';
import type { WakeBus } from '@loom/shared/wake';

interface StreamListener {
  on_events(): void;
  on_live(message: LiveMessage): void;
}

/** Spreads the bus's messages to the streams that they concern: one subscription a gateway. */
export interface StreamHub {
  /** Returns the way to stop listening. */
  listen(streamId: string, listener: StreamListener): () => void;
  wantSnapshot(sessionId: string): void;
  close(): void;
}

/** Subscribes once; a stream's listeners hear of its own events and, for a session, of its live text. */
export function createStreamHub(bus: WakeBus): StreamHub {
  const listeners = new Map<string, Set<StreamListener>>();
  const unsubscribe = bus.subscribe((wake) => {
    if (wake.kind === 'streams') {
      for (const id of wake.ids) {
        for (const listener of listeners.get(id) ?? []) listener.on_events();
      }
    } else if (wake.kind === 'live') {
      for (const listener of listeners.get(wake.message.session_id) ?? []) {
        listener.on_live(wake.message);
      }
    }
  });
  return {
    listen(streamId, listener) {
      const own = listeners.get(streamId) ?? new Set();
      listeners.set(streamId, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(streamId) === own) listeners.delete(streamId);
      };
    },
    wantSnapshot: (session_id) => bus.publish({ kind: 'snapshot_wanted', session_id }),
    close: unsubscribe,
  };
}
