import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairOrder, highestStamp, rememberedJobs } from './fair-order.ts';

interface Waiting {
  tenant: string;
  job: string;
  stamp: number;
}

/** A queue that serves the lowest stamp first, and processes that ring for it. */
function simulate(processes: number) {
  const orders = Array.from({ length: processes }, () => new FairOrder());
  const waiting: Waiting[] = [];
  const served: Waiting[] = [];
  let jobs = 0;
  const line = () => {
    const stamps = waiting.map(({ stamp }) => stamp);
    const [first, last] = [Math.min(...stamps), Math.max(...stamps)];
    return waiting.length === 0 ? null : { first, last, count: waiting.length };
  };
  const stamp = (by: number, tenant: string, job: string): number => {
    const order = orders[by] as FairOrder;
    order.observe(line());
    return order.stamp(tenant, job);
  };
  return {
    waiting,
    served,
    stamp,
    ring(by: number, tenant: string): Waiting {
      jobs += 1;
      const job = { tenant, job: `job-${jobs}`, stamp: stamp(by, tenant, `job-${jobs}`) };
      waiting.push(job);
      return job;
    },
    serve(): Waiting | undefined {
      const next = waiting.findIndex(({ stamp }) => stamp === line()?.first);
      const [job] = next < 0 ? [] : waiting.splice(next, 1);
      if (job !== undefined) served.push(job);
      return job;
    },
    has: (tenant: string) => waiting.some((job) => job.tenant === tenant),
  };
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const tenants = ['a', 'b', 'c', 'd'];
const rings = fc.record({
  by: fc.nat({ max: 2 }),
  tenant: fc.constantFrom(...tenants),
  count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 })),
});
const steps = fc.array(fc.oneof(rings, fc.constant('serve' as const)), { maxLength: 30 });

describe('whatever is rung and served', () => {
  test('who has nothing waiting is served within two rounds of one job for each tenant and process', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const queue = simulate(3);
        const joined = new Map<Waiting, number>();
        const serve = () => {
          const job = queue.serve();
          const since = job && joined.get(job);
          if (since === undefined) return;
          // In the first it may have had its turn already.
          expect(queue.served.length - since).toBeLessThanOrEqual(2 * 3 * tenants.length);
        };
        for (const step of taken) {
          if (step === 'serve') {
            serve();
            continue;
          }
          const isNew = !queue.has(step.tenant);
          const [job] = times(step.count, () => queue.ring(step.by, step.tenant));
          if (isNew && job !== undefined) joined.set(job, queue.served.length);
        }
        while (queue.waiting.length > 0) serve();
      }),
    );
  });

  test('tenants that always have jobs waiting get the same share', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 2, max: 40 }), (taken, services) => {
        const queue = simulate(1);
        for (const step of taken) {
          if (step === 'serve') queue.serve();
          else times(step.count, () => queue.ring(0, step.tenant));
        }
        const from = queue.served.length;
        for (let count = 0; count < services; count++) {
          for (const tenant of tenants) if (!queue.has(tenant)) queue.ring(0, tenant);
          queue.serve();
          const now = queue.served.slice(from);
          const shares = tenants.map((t) => now.filter(({ tenant }) => tenant === t).length);
          expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(2);
        }
      }),
    );
  });

  test('ringing again changes nothing', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const quiet = simulate(1);
        const noisy = simulate(1);
        for (const step of taken) {
          for (const queue of [quiet, noisy]) {
            if (step === 'serve') queue.serve();
            else times(step.count, () => queue.ring(0, step.tenant));
          }
          for (const { tenant, job, stamp } of noisy.waiting) {
            expect(noisy.stamp(0, tenant, job)).toBe(stamp);
          }
        }
        expect(noisy.served).toEqual(quiet.served);
        expect(noisy.waiting).toEqual(quiet.waiting);
      }),
    );
  });
});

test('a single job goes before all but the first of a thousand', () => {
  const queue = simulate(2);
  times(1_000, () => queue.ring(0, 'many'));
  times(300, () => queue.serve());
  const single = queue.ring(1, 'single');
  expect([queue.serve()?.tenant, queue.serve()]).toEqual(['many', single]);
});

test('a queue that ran empty begins anew', () => {
  const order = new FairOrder();
  order.observe({ first: 7, last: 9, count: 3 });
  expect([order.stamp('a', '1'), order.stamp('a', '2'), order.stamp('b', '3')]).toEqual([7, 8, 7]);
  order.observe(null);
  expect([order.stamp('a', '4'), order.stamp('a', '1')]).toEqual([1, 2]);
});

test('whose jobs the queue does not hold any more joins at the front', () => {
  const order = new FairOrder();
  order.observe({ first: 500, last: 500, count: 1 });
  order.stamp('a', '1');
  // Meanwhile it ran empty, and others began anew.
  order.observe({ first: 3, last: 40, count: 60 });
  expect(order.stamp('a', '2')).toBe(3);
});

test('a job beyond a hole does not wait until everybody has got there', () => {
  const order = new FairOrder();
  order.observe({ first: 3, last: 5_000, count: 8 });
  expect(order.stamp('a', '1')).toBe(4_993);
});

test('at the highest stamp all stand in the order they came', () => {
  const order = new FairOrder();
  order.observe({ first: highestStamp - 1, last: highestStamp - 1, count: 1 });
  const stamps = ['1', '2', '3'].map((job) => order.stamp('a', job));
  expect(stamps).toEqual([highestStamp - 1, highestStamp, highestStamp]);
});

test('no more jobs are remembered than can be afforded', () => {
  const order = new FairOrder();
  for (let job = 1; job <= rememberedJobs + 1; job++) order.stamp('a', String(job));
  expect(order.stamp('a', String(rememberedJobs + 1))).toBe(rememberedJobs + 1);
  expect(order.stamp('a', '1')).toBe(rememberedJobs + 2);
});
