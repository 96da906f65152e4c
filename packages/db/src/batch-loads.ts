/**
 * Gathers loads that are asked for at about the same time into one query. Units that were claimed
 * in one commit start together, so most of them load together.
 */
export function createBatchedLoad<Key, Value>(
  loadAll: (keys: Key[]) => Promise<Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: { key: Key; resolve(value: Value): void; reject(error: unknown): void }[] = [];

  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    try {
      const values = await loadAll(batch.map(({ key }) => key));
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Value);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ key, resolve, reject });
    });
}
