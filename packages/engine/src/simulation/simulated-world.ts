import type { DecideTask, TaskInput } from '@loom/shared/task-state';
import { newTask } from '../new-task.ts';
import { Agenda } from './agenda.ts';
import { calmDown, randomChaos } from './chaos.ts';
import { createRandom, type Random } from './random.ts';
import { randomPlan } from './random-work.ts';
import { checkEndedTask, checkEndedUnit } from './run-checks.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { SimulatedQueue } from './simulated-queue.ts';

const stormSeconds = 900;
const boundSeconds = 3_600;

interface WorldOptions {
  seed: number;
  decide: DecideTask;
  fenced: boolean;
  /** Called with the name of each thing that befell the world. */
  count: (what: string) => void;
}

/** Lives one world from its first request to the last echo; throws when a rule is broken. */
export function runWorld({ seed, decide, fenced, count }: WorldOptions): void {
  const random = createRandom(seed);
  const agenda = new Agenda();
  const chaos = randomChaos(random);
  const database = new SimulatedDatabase({
    decide,
    fenced,
    now: () => agenda.now,
    isPoison: () => random.chance(chaos.poison),
    count,
  });
  const queue = new SimulatedQueue(agenda, random, chaos, count);
  const surroundings = { agenda, random, chaos, database, ring: queue.ring.bind(queue), count };
  for (const name of ['plans', 'subtasks', 'verifications'] as const) {
    for (let copies = random.int(1, 3); copies > 0; copies -= 1) {
      queue.processes.push(new SimulatedProcess(name, surroundings));
    }
  }

  const lastRequest = scheduleRequests(random, agenda, database, queue);
  agenda.after(stormSeconds, () => calmDown(chaos));
  if (random.chance(0.3)) agenda.after(random.next() * 60, () => queue.wipe());

  let over = false;
  const sweep = () => {
    queue.ring(database.sweep());
    over =
      agenda.now > lastRequest &&
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

/** Lets people ask for tasks, and then stop and retry them at any time; returns when the last one asks. */
function scheduleRequests(
  random: Random,
  agenda: Agenda,
  database: SimulatedDatabase,
  queue: SimulatedQueue,
): number {
  let last = 0;
  for (let number = random.int(1, 3); number > 0; number -= 1) {
    const task = newTask({ id: `t${number}`, goal: 'build it', max_parallel: random.int(1, 4) });
    const ask = (time: number, input: TaskInput) => {
      last = Math.max(last, time);
      agenda.after(time, () => queue.ring(database.request(task, input)));
    };
    const born = random.next() * 10;
    ask(born, { kind: 'created', plan: random.chance(0.5) ? randomPlan(random) : null });
    for (let more = random.int(0, 3); more > 0; more -= 1) {
      const time = born + random.next() * random.pick([10, 60, 200]);
      ask(time, randomRequest(random));
      // People change their mind: this finds workers that have not yet noticed a stop.
      if (random.chance(0.5)) ask(time + random.next() * 15, retryAll);
    }
  }
  return last;
}

const by = 'someone';
const retryAll: TaskInput = { kind: 'retry_requested', by, subtask_id: null };

function randomRequest(random: Random): TaskInput {
  return random.pick<TaskInput>([
    { kind: 'stop_requested', mode: 'cancel', by },
    { kind: 'stop_requested', mode: 'abort', by },
    { kind: 'retry_requested', by, subtask_id: `s${random.int(0, 5)}` },
    retryAll,
  ]);
}
