import type { ScriptedRequest } from './request.ts';
import { type Matcher, matches } from './rules.ts';

/** Holds matching requests back until the test says go, so that nothing needs to sleep. */
export class Gate {
  /** Resolves with the first request that reached the gate. */
  readonly arrived: Promise<ScriptedRequest>;
  /** Every request that reached it so far. */
  readonly requests: ScriptedRequest[] = [];

  readonly #matcher: Matcher;
  readonly #opened: Promise<void>;
  #open!: () => void;
  #isOpen = false;
  #waiters: { count: number; resolve: (requests: ScriptedRequest[]) => void }[] = [];

  constructor(matcher: Matcher) {
    this.#matcher = matcher;
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    this.arrived = this.arrivals(1).then((requests) => requests[0] as ScriptedRequest);
  }

  /** Resolves when so many requests have reached the gate. */
  arrivals(count: number): Promise<ScriptedRequest[]> {
    return new Promise((resolve) => {
      this.#waiters.push({ count, resolve });
      this.#notify();
    });
  }

  /** Lets everything that waits go on, and all that comes later pass. */
  release(): void {
    this.#isOpen = true;
    this.#open();
  }

  /** Waits at the gate if the request is one it is for. */
  async pass(request: ScriptedRequest): Promise<void> {
    if (this.#isOpen || !matches(this.#matcher, request)) return;
    this.requests.push(request);
    this.#notify();
    await this.#opened;
  }

  #notify(): void {
    const reached = this.#waiters.filter((waiter) => this.requests.length >= waiter.count);
    this.#waiters = this.#waiters.filter((waiter) => !reached.includes(waiter));
    for (const waiter of reached) waiter.resolve([...this.requests]);
  }
}
