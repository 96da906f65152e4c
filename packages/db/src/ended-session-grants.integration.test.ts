import type { ClaimedUnit } from '@loom/shared/work';
import { beforeAll, expect, test } from 'vitest';
import { lockSession } from './accept-turn.ts';
import { loadTurn } from './load-turn.ts';
import { type OwnedTurn, openTurnWorld, type TurnWorld } from './test-support/turn-world.ts';
import { inTransaction } from './transaction.ts';
import { endSession } from './write-session.ts';

let world: TurnWorld;
beforeAll(async () => {
  world = await openTurnWorld();
});

const unitOf = ({ session_id, turn_id, epoch }: OwnedTurn): ClaimedUnit => ({
  unit_id: turn_id,
  epoch,
  queue: 'turns',
  tenant_id: 'default',
  task_id: null,
  subtask_id: null,
  attempt: null,
  session_id,
  turn_id,
  metered: false,
});

async function grantsOf(turn: OwnedTurn) {
  const brief = await loadTurn(world.database, unitOf(turn));
  return { tools: brief?.granted_tools, read_roots: brief?.read_roots, network: brief?.network };
}

test('whoever takes up a turn of an ended session is granted nothing by it', async () => {
  const grants = { tools: ['write_file'], read_roots: ['/docs'], network: true };
  const turn = await world.begin(await world.newSession('default', { grants }));
  const other = await world.begin(await world.newSession('default', { grants }));
  expect(await grantsOf(turn)).toEqual(grants);
  await inTransaction(world.database, async (client) =>
    endSession(client, await lockSession(client, 'default', turn.session_id)),
  );
  expect(await grantsOf(turn)).toEqual({ tools: [], read_roots: [], network: false });
  expect(await grantsOf(other)).toEqual(grants);
});
