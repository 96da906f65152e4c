import type { Agenda } from './agenda.ts';
import type { Chaos } from './chaos.ts';
import type { Random } from './random.ts';
import type { Bell } from './rows.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** The doorbell: it may lose a ring, repeat it, bring it late and out of order. */
export class SimulatedQueue {
  readonly processes: SimulatedProcess[] = [];
  /** Grows when the queue loses everything it holds. */
  #generation = 0;

  constructor(
    private readonly agenda: Agenda,
    private readonly random: Random,
    private readonly chaos: Chaos,
    private readonly count: (what: string) => void,
  ) {}

  ring(bells: Bell[]): void {
    for (const bell of bells) {
      if (this.random.chance(this.chaos.loseRing)) {
        this.count('lost ring');
        continue;
      }
      this.#send(bell);
      if (this.random.chance(this.chaos.duplicateRing)) {
        this.count('repeated ring');
        this.#send(bell);
      }
    }
  }

  wipe(): void {
    this.#generation += 1;
    this.count('wiped queue');
  }

  #send(bell: Bell): void {
    const generation = this.#generation;
    const deliver = () => {
      if (generation !== this.#generation) return;
      const ready = this.processes.filter((one) => one.queue === bell.queue && one.isReady());
      const taker = ready[this.random.int(0, Math.max(0, ready.length - 1))];
      if (taker === undefined) this.agenda.after(1, deliver);
      else taker.receive(bell);
    };
    this.agenda.after(this.random.next() * this.chaos.ringDelay, deliver);
  }
}
