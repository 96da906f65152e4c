/** Commits in sets what arrives while earlier sets are under way. A lone item goes at once. */
export interface GroupCommit<Item, Result> {
  add(item: Item): Promise<Result>;
  /** Resolves when nothing is queued or under way. */
  idle(): Promise<void>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** One set is written while the next is decided; more would only wait for the disk. */
const maxFlushes = 2;
/** Bounds a statement's size and how long its locks are held. */
const maxItems = 300;

/**
 * `keyOf` names what an item locks: two sets under way never share a key, since the second would
 * sit in the database waiting for the first, and hold up everything else that it carries.
 */
export function createGroupCommit<Item, Result>(
  flush: (items: Item[]) => Promise<Result[]>,
  keyOf: (item: Item) => string,
): GroupCommit<Item, Result> {
  let queue: Waiting<Item, Result>[] = [];
  let flushing = 0;
  let scheduled = false;
  let idlers: (() => void)[] = [];
  const busy = new Set<string>();

  const takeBatch = (): Waiting<Item, Result>[] => {
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const waiting of queue) {
      const fits = batch.length < maxItems && !busy.has(keyOf(waiting.item));
      (fits ? batch : left).push(waiting);
    }
    queue = left;
    return batch;
  };

  const pump = (): void => {
    scheduled = false;
    while (flushing < maxFlushes && queue.length > 0) {
      const batch = takeBatch();
      if (batch.length === 0) break;
      flushing += 1;
      for (const { item } of batch) busy.add(keyOf(item));
      void run(batch);
    }
    if (flushing === 0 && queue.length === 0) {
      for (const resolve of idlers) resolve();
      idlers = [];
    }
  };

  const run = async (batch: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await flush(batch.map(({ item }) => item));
      for (const [index, waiting] of batch.entries()) waiting.resolve(results[index] as Result);
    } catch (error) {
      // One bad item must not fail its neighbours: after a failed set, each goes alone.
      if (batch.length > 1) for (const waiting of batch) await runAlone(waiting);
      else for (const waiting of batch) waiting.reject(error);
    } finally {
      flushing -= 1;
      for (const { item } of batch) busy.delete(keyOf(item));
      pump();
    }
  };

  const runAlone = async (waiting: Waiting<Item, Result>): Promise<void> => {
    try {
      const [result] = await flush([waiting.item]);
      waiting.resolve(result as Result);
    } catch (error) {
      waiting.reject(error);
    }
  };

  return {
    add: (item) =>
      new Promise<Result>((resolve, reject) => {
        queue.push({ item, resolve, reject });
        // Everything that this round of the event loop brings goes together.
        if (!scheduled) setImmediate(pump);
        scheduled = true;
      }),
    idle: () =>
      flushing === 0 && queue.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => idlers.push(resolve)),
  };
}
