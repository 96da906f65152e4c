import type { DecideTask } from '@loom/shared/task-state';
import { Agenda } from './agenda.ts';
import { calmDown, randomChaos } from './chaos.ts';
import type { DatabaseFaults } from './database-faults.ts';
import { createRandom } from './random.ts';
import { checkEndedTask, checkEndedUnit } from './run-checks.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedPeople } from './simulated-people.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { SimulatedQueue } from './simulated-queue.ts';

const stormSeconds = 600;
const boundSeconds = 6_000;
const heartbeatSeconds = 5;

interface WorldOptions {
  seed: number;
  decide: DecideTask;
  faults: DatabaseFaults;
  /** Called with the name of each thing that befell the world. */
  count: (what: string) => void;
}

/** Lives one world from its first request to the last echo; throws when a rule is broken. */
export function runWorld({ seed, decide, faults, count }: WorldOptions): void {
  const random = createRandom(seed);
  const agenda = new Agenda();
  const chaos = randomChaos(random);
  const queue = new SimulatedQueue(agenda, random, chaos, count);
  const ring = queue.ring.bind(queue);
  const people = new SimulatedPeople({
    agenda,
    random,
    chaos,
    database: () => database,
    ring,
    count,
  });
  const database: SimulatedDatabase = new SimulatedDatabase({
    decide,
    faults,
    stores: random.chance(0.03),
    now: () => agenda.now,
    isPoison: () => random.chance(chaos.poison),
    count,
    asked: people.hear.bind(people),
  });
  const surroundings = { agenda, random, chaos, database, ring, count };
  for (const name of ['plans', 'subtasks', 'verifications'] as const) {
    for (let copies = random.int(1, 3); copies > 0; copies -= 1) {
      queue.processes.push(new SimulatedProcess(name, surroundings));
    }
  }

  people.scheduleRequests();
  agenda.after(stormSeconds, () => calmDown(chaos));
  if (random.chance(0.3)) agenda.after(random.next() * 60, () => queue.wipe());

  let over = false;
  let ticks = 0;
  const sweep = () => {
    ticks += 1;
    if (ticks % heartbeatSeconds === 0) for (const process of queue.processes) process.beat();
    ring(database.sweep());
    for (const taskId of database.due()) {
      // Any number of sweepers may run, so time may pass twice at once.
      for (let more = random.int(1, 2); more > 0; more -= 1) {
        ring(database.request(taskId, { kind: 'time_passed' }));
      }
    }
    over =
      agenda.now > people.lastRequest &&
      database.isQuiet() &&
      queue.processes.every((process) => process.isIdle());
    agenda.after(1, sweep);
  };
  agenda.after(1, sweep);
  while (!over && agenda.now < boundSeconds) agenda.advance();

  for (const row of database.tasks.values()) {
    checkEndedTask(row);
    count(`${row.state.status} task`);
  }
  for (const unit of database.units.values()) checkEndedUnit(unit);
}
