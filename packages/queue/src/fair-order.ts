/** What waits in a queue: its lowest and its highest stamp, and how many jobs there are. */
export interface QueueLine {
  first: number;
  last: number;
  count: number;
}

/** The queue library takes no higher priority; jobs up here are served as they came. */
export const highestStamp = 2 ** 21 - 1;

/** Jobs that are remembered, so that ringing for one again does not count twice. */
export const rememberedJobs = 10_000;

interface TenantJobs {
  last: number;
  /** Jobs that may still wait, with their stamps, rising. */
  stamps: Map<string, number>;
}

/**
 * Stamps the jobs of a queue so that tenants take turns (start-time fair queueing): the lowest
 * stamp is served first, a tenant's next job stands one behind its last, and who has nothing
 * waiting joins at the front. Processes stamp side by side; the queue is what they have in common.
 */
export class FairOrder {
  #front = 1;
  #remembered = 0;
  readonly #tenants = new Map<string, TenantJobs>();

  /** Learns how far the queue has come. Null: nothing waits, so the past does not matter. */
  observe(line: QueueLine | null): void {
    if (line === null) {
      this.#front = 1;
      this.#remembered = 0;
      this.#tenants.clear();
      return;
    }
    // Where all join at the front, stamps have no holes. A hole means that someone's front was out
    // of date; joining behind it keeps the job beyond from waiting until all others got there.
    this.#front = Math.max(line.first, line.last - line.count + 1);
    for (const [tenant, jobs] of this.#tenants) {
      jobs.last = 0;
      for (const [job, stamp] of jobs.stamps) {
        if (stamp >= line.first && stamp <= line.last) jobs.last = stamp;
        else this.#forget(jobs, job);
      }
      if (jobs.stamps.size === 0) this.#tenants.delete(tenant);
    }
  }

  /** The place of a tenant's job. One that is rung for again keeps the place it has. */
  stamp(tenant: string, job: string): number {
    const jobs = this.#tenants.get(tenant) ?? { last: 0, stamps: new Map() };
    const given = jobs.stamps.get(job);
    if (given !== undefined) return given;
    // The tenant's oldest makes room: it is the next to be served.
    const [oldest] = jobs.stamps.keys();
    if (this.#remembered >= rememberedJobs && oldest !== undefined) this.#forget(jobs, oldest);
    jobs.last = Math.min(Math.max(this.#front, jobs.last + 1), highestStamp);
    jobs.stamps.set(job, jobs.last);
    this.#remembered += 1;
    this.#tenants.set(tenant, jobs);
    return jobs.last;
  }

  #forget(jobs: TenantJobs, job: string): void {
    jobs.stamps.delete(job);
    this.#remembered -= 1;
  }
}
