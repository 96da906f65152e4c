import type { Wake } from '@loom/shared/wake';

/**
 * Gathers wakes while one sending is under way and sends them as few messages. The first of a
 * quiet time leaves at once; a flood becomes batches.
 */
export function createWakeBatch(send: (wakes: Wake[]) => Promise<void>) {
  let pending: Wake[] = [];
  let sending: Promise<void> | null = null;

  const pump = async (): Promise<void> => {
    while (pending.length > 0) {
      const batch = mergeWakes(pending);
      pending = [];
      await send(batch);
    }
    sending = null;
  };

  return {
    add(wake: Wake): void {
      pending.push(wake);
      sending ??= Promise.resolve().then(pump);
    },
    idle: async (): Promise<void> => {
      while (sending !== null) await sending;
    },
  };
}

/** Joins stream wake-ups into one and neighbouring deltas of one message into longer ones. */
export function mergeWakes(wakes: Wake[]): Wake[] {
  const streams = new Set<string>();
  const merged: Wake[] = [];
  for (const wake of wakes) {
    const last = merged.at(-1);
    if (wake.kind === 'streams') {
      for (const id of wake.ids) streams.add(id);
    } else if (wake.kind === 'live' && last?.kind === 'live' && continues(last, wake)) {
      const message = { ...last.message, text: last.message.text + wake.message.text };
      merged[merged.length - 1] = { kind: 'live', message };
    } else {
      merged.push(wake);
    }
  }
  // First, since whoever hears of live text looks at what stands in the log before it.
  return streams.size > 0 ? [{ kind: 'streams', ids: [...streams] }, ...merged] : merged;
}

type Live = Extract<Wake, { kind: 'live' }>;

function continues(one: Live, next: Live): boolean {
  const a = one.message;
  const b = next.message;
  return (
    b.kind === 'delta' &&
    a.turn_id === b.turn_id &&
    a.call === b.call &&
    a.offset + a.text.length === b.offset
  );
}
