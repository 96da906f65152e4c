import type { Wake, WakeBus } from '@loom/shared/wake';
import { expect, test } from 'vitest';
import { createLiveTexts } from './live-text.ts';

/** A bus within one process, as both real ones are for their own listeners. */
function openBus() {
  const listeners = new Set<(wake: Wake) => void>();
  const heard: string[] = [];
  const bus: WakeBus = {
    publish: (wake) => {
      if (wake.kind === 'live') {
        const { kind, turn_id, call, offset, text } = wake.message;
        heard.push(`${kind} ${turn_id}/${call} @${offset} "${text}"`);
      }
      for (const listener of listeners) listener(wake);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => undefined,
  };
  return { bus, heard, listeners };
}

test('words are shown as they come, after an empty start', () => {
  const { bus, heard } = openBus();
  const live = createLiveTexts(bus).start({ session_id: 's', turn_id: 't', call: 1_000 });
  live.delta('Hel');
  live.delta('lo 😀');
  live.delta('!');
  expect(heard).toEqual([
    'snapshot t/1000 @0 ""',
    'delta t/1000 @0 "Hel"',
    'delta t/1000 @3 "lo 😀"',
    'delta t/1000 @8 "!"',
  ]);
});

test('who joins late gets the words so far, of this session alone', () => {
  const { bus, heard } = openBus();
  const texts = createLiveTexts(bus);
  texts.start({ session_id: 's', turn_id: 't', call: 1 }).delta('so far');
  texts.start({ session_id: 'other', turn_id: 'o', call: 1 }).delta('not for you');
  heard.length = 0;
  bus.publish({ kind: 'snapshot_wanted', session_id: 's' });
  expect(heard).toEqual(['snapshot t/1 @0 "so far"']);
});

test('what ended is not shown again, and an old call does not end a new one', () => {
  const { bus, heard } = openBus();
  const texts = createLiveTexts(bus);
  const first = texts.start({ session_id: 's', turn_id: 't', call: 1 });
  const second = texts.start({ session_id: 's', turn_id: 't', call: 2 });
  first.end();
  heard.length = 0;
  bus.publish({ kind: 'snapshot_wanted', session_id: 's' });
  expect(heard).toEqual(['snapshot t/2 @0 ""']);
  second.end();
  heard.length = 0;
  bus.publish({ kind: 'snapshot_wanted', session_id: 's' });
  expect(heard).toEqual([]);
});

test('closed, it listens no more', () => {
  const { bus, listeners } = openBus();
  const texts = createLiveTexts(bus);
  expect(listeners.size).toBe(1);
  texts.close();
  expect(listeners.size).toBe(0);
});
