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

/** More than two flushes at once would only wait for each other's row locks and the disk. */
const maxFlushes = 2;
/** Bounds a statement's size and how long its locks are held. */
const maxItems = 300;

export function createGroupCommit<Item, Result>(
  flush: (items: Item[]) => Promise<Result[]>,
): GroupCommit<Item, Result> {
  let queue: Waiting<Item, Result>[] = [];
  let flushing = 0;
  let idlers: (() => void)[] = [];

  const pump = (): void => {
    while (flushing < maxFlushes && queue.length > 0) {
      const batch = queue.slice(0, maxItems);
      queue = queue.slice(maxItems);
      flushing += 1;
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
        // Everything added in this tick goes together.
        if (queue.length === 1) queueMicrotask(pump);
      }),
    idle: () =>
      flushing === 0 && queue.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => idlers.push(resolve)),
  };
}
