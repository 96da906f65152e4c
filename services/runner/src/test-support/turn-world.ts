import type { Runtime } from '@loom/runtime/create-runtime';
import { createIntake } from '@loom/runtime/intake';
import { startWorker } from '@loom/runtime/start-worker';
import { caller, openWorld } from '@loom/runtime/test-support/runtime-world';
import type { CreateSession } from '@loom/shared/api';
import type { ModelReply, ModelRequest, Models } from '@loom/shared/chat';
import type { Intake } from '@loom/shared/intake';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { runnerHandlers } from '../handlers.ts';
import { scriptedModels } from './scripted-models.ts';

/** One process that runs turns and can be stopped; another may go on where it was. */
export interface TurnRunner {
  runtime: Runtime;
  intake: Intake;
  stop(): Promise<void>;
}

/** Turns that real runners run on a real database; only the model is a script. */
export async function openTurnWorld(moreTools: ToolDefinition[] = []) {
  const world = await openWorld();
  /** What tools did, in order. */
  const deeds: string[] = [];
  let models: Models & { asked: ModelRequest[] } = scriptedModels([]);
  const current: Models = {
    complete: (request) => models.complete(request),
    list: () => models.list(),
    select: (request) => models.select(request),
  };

  const tool = (name: string, effect: ToolDefinition['effect']): ToolDefinition => ({
    name,
    description: name,
    effect,
    timeout_ms: 5_000,
    input: z.strictObject({ what: z.string() }),
    unavailable: () => null,
    run: async (input) => {
      const { what } = input as { what: string };
      deeds.push(`${name} ${what}`);
      return { text: `${name} of ${what} is done` };
    },
  });
  const tools = [
    tool('look', 'read'),
    tool('put', 'idempotent'),
    tool('send', 'effectful'),
    ...moreTools,
  ];

  /** Starts a process; `sections` are those of loom.toml. */
  const startRunner = async (sections: Record<string, object> = {}): Promise<TurnRunner> => {
    const { execution = {}, ...others } = sections;
    const { runtime, close } = await world.openRuntime(4, { ...execution }, others);
    const { turns } = runnerHandlers({ runtime, models: current, tools });
    const worker = startWorker(runtime, turns === undefined ? {} : { turns });
    return {
      runtime,
      intake: createIntake(runtime),
      stop: async () => {
        await worker.stop();
        await close();
      },
    };
  };

  const script = (...replies: (ModelReply | Error)[]): void => {
    models = scriptedModels(replies);
    deeds.length = 0;
  };

  const newSession = async ({ intake }: TurnRunner, input: CreateSession = {}): Promise<string> =>
    (await intake.createSession(caller, input, null)).body.id;

  const send = async ({ intake }: TurnRunner, session: string): Promise<string> => {
    const input = { content: 'go', if_busy: 'queue' } as const;
    return (await intake.acceptTurn(caller, session, input, null)).body.turn_id;
  };

  /** Gives the model its script and sends a message in a new session. */
  const begin = async (
    runner: TurnRunner,
    replies: (ModelReply | Error)[],
    input: CreateSession = {},
  ): Promise<{ session: string; turn: string }> => {
    script(...replies);
    const session = await newSession(runner, input);
    return { session, turn: await send(runner, session) };
  };

  const statusOf = async (turn: string) =>
    (await world.rows<{ status: string }>('SELECT status FROM turns WHERE id = $1', [turn]))[0]
      ?.status;

  const untilStatus = async (turn: string, status: string): Promise<void> => {
    while ((await statusOf(turn)) !== status);
  };

  const unit = async (turn: string) =>
    (
      await world.rows<{ status: string; parked_for: string | null; epoch: number }>(
        'SELECT status, parked_for, epoch FROM units WHERE id = $1',
        [turn],
      )
    )[0];

  /** Waits until the turn is parked for this and its place is free again. */
  const untilParked = async (runner: TurnRunner, turn: string, reason: string): Promise<void> => {
    for (;;) {
      const row = await unit(turn);
      const isFree = runner.runtime.slots.active('turns') === 0;
      if (row?.status === 'parked' && row.parked_for === reason && isFree) return;
    }
  };

  /** Lets the time pass that a parked turn waits. */
  const passTime = (turn: string) =>
    world.rows('UPDATE units SET available_at = now() WHERE id = $1 AND available_at IS NOT NULL', [
      turn,
    ]);

  const events = async (session: string, prefix = '') =>
    world.rows<{ type: string; data: Record<string, unknown> }>(
      'SELECT type, data FROM session_events WHERE session_id = $1 AND type LIKE $2 ORDER BY seq',
      [session, `${prefix}%`],
    );

  const approvals = (turn: string) =>
    world.rows<{ id: string; tool: string; status: string; reason: string }>(
      'SELECT id, tool, status, reason FROM approvals WHERE turn_id = $1 ORDER BY call_key',
      [turn],
    );

  /** What the model was told by its last request's tools. */
  const results = () =>
    (models.asked.at(-1)?.messages ?? [])
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content);

  return {
    ...world,
    deeds,
    asked: (): ModelRequest[] => models.asked,
    useModels: (next: typeof models) => {
      models = next;
    },
    script,
    startRunner,
    newSession,
    send,
    begin,
    statusOf,
    untilStatus,
    unit,
    untilParked,
    passTime,
    events,
    approvals,
    results,
  };
}

export type TurnWorld = Awaited<ReturnType<typeof openTurnWorld>>;
