import type { LiveMessage } from '@loom/shared/events';
import type { WakeBus } from '@loom/shared/wake';

/** The text a model is writing, for those who watch now and those who join late. */
export interface LiveText {
  delta(text: string): void;
  end(): void;
}

/** Shows the words of running model calls as they come. Nothing of it is kept: the message is, once it is whole. */
export function createLiveTexts(bus: WakeBus) {
  const running = new Map<
    string,
    { place: Pick<LiveMessage, 'session_id' | 'turn_id' | 'call'>; text: string }
  >();
  const unsubscribe = bus.subscribe((wake) => {
    if (wake.kind !== 'snapshot_wanted') return;
    for (const { place, text } of running.values()) {
      if (place.session_id !== wake.session_id) continue;
      bus.publish({ kind: 'live', message: { ...place, kind: 'snapshot', offset: 0, text } });
    }
  });

  return {
    start(place: Pick<LiveMessage, 'session_id' | 'turn_id' | 'call'>): LiveText {
      const live = { place, text: '' };
      running.set(place.turn_id, live);
      // An empty snapshot tells watchers to forget the words of an abandoned try.
      bus.publish({ kind: 'live', message: { ...place, kind: 'snapshot', offset: 0, text: '' } });
      return {
        delta(text) {
          const message = { ...place, kind: 'delta', offset: live.text.length, text } as const;
          live.text += text;
          bus.publish({ kind: 'live', message });
        },
        end() {
          if (running.get(place.turn_id) === live) running.delete(place.turn_id);
        },
      };
    },
    close: unsubscribe,
  };
}

export type LiveTexts = ReturnType<typeof createLiveTexts>;
