interface Entry {
  time: number;
  order: number;
  act: () => void;
}

/** Virtual time: what is to happen, earliest first, and equal times in the order they were set. */
export class Agenda {
  now = 0;
  #order = 0;
  readonly #heap: Entry[] = [];

  after(delay: number, act: () => void): void {
    const heap = this.#heap;
    const entry = { time: this.now + delay, order: this.#order++, act };
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = entry;
  }

  /** Lets the next thing happen; false when nothing is left. */
  advance(): boolean {
    const next = this.#heap[0];
    if (next === undefined) return false;
    this.#removeFirst();
    this.now = next.time;
    next.act();
    return true;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      let smallest = heap[child];
      const right = heap[child + 1];
      if (smallest !== undefined && right !== undefined && isBefore(right, smallest)) {
        child += 1;
        smallest = right;
      }
      if (smallest === undefined || !isBefore(smallest, last)) break;
      heap[index] = smallest;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
