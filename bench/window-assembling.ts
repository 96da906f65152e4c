import { acceptTurn } from '@loom/db/accept-turn';
import { claimTurn } from '@loom/db/claim-turn';
import type { Database } from '@loom/db/database';
import { loadTurn } from '@loom/db/load-turn';
import { migrateDatabase } from '@loom/db/migrate';
import { inTransaction } from '@loom/db/transaction';
import { insertSession } from '@loom/db/write-session';
import { decideTurn } from '@loom/engine/decide-turn';
import { advanceSessionState } from '@loom/engine/session-state/advance-session-state';
import { coworkWindow } from '@loom/runner/cowork-window';
import { turnTools } from '@loom/runner/turn-tools';
import type { ClaimedUnit } from '@loom/shared/work';
import { runAdmin } from '@loom/testing/test-postgres';
import { fillSession } from './fill-session.ts';
import type { Measurement } from './measurement.ts';
import { openBenchDatabase } from './open-bench-database.ts';
import { percentile } from './percentile.ts';
import { startServers } from './private-servers.ts';

const tenant_id = 'default';
const warmUps = 20;
const windows = 200;
const model = { context_tokens: 128_000, max_output_tokens: 8_192 };

/** (g) What it takes to load a turn of a conversation of 100,000 messages and to build its window. */
export async function measureWindowAssembling(): Promise<Measurement[]> {
  const servers = await startServers('postgres');
  await migrateDatabase(servers.database_url);
  await runAdmin(
    servers.database_url,
    `INSERT INTO tenants (id) VALUES ('${tenant_id}') ON CONFLICT DO NOTHING`,
  );
  const db = await openBenchDatabase(servers.database_url);
  const long = await measureSession(db, 'ses_long', 100_000);
  const short = await measureSession(db, 'ses_short', 1_000);
  await db.close();
  await servers.stop();
  return [
    {
      part: 'g',
      name: 'load a turn and build its window, 100,000 messages',
      value: percentile(long.whole, 0.5),
      unit: 'ms p50',
      target: { at_most: 5 },
      detail: {
        p95_ms: percentile(long.whole, 0.95),
        load_p50_ms: percentile(long.load, 0.5),
        build_p50_ms: percentile(long.build, 0.5),
        with_1000_messages_p50_ms: percentile(short.whole, 0.5),
      },
    },
  ];
}

async function measureSession(db: Database, session_id: string, messages: number) {
  await inTransaction(db, (client) =>
    insertSession(client, { id: session_id, tenant_id, input: {} }),
  );
  await fillSession(db, session_id, messages);
  // As autovacuum would have done it while the conversation went on.
  await db.pool.query('VACUUM ANALYZE');
  const unit = await openTurn(db, session_id);
  const registry = turnTools(db, unit, [], { max_output_chars: 30_000 });
  const tools = registry.specs(registry.list().map(({ name }) => name));
  const samples = { whole: [] as number[], load: [] as number[], build: [] as number[] };
  for (let window = 0; window < warmUps + windows; window++) {
    const began = performance.now();
    const brief = await loadTurn(db, unit);
    const loaded = performance.now();
    if (brief === null) throw new Error(`no turn in ${session_id}`);
    const state = advanceSessionState(brief.state, brief.recent).known;
    const turn_id = unit.turn_id ?? '';
    const rest = { rules: [], model, tools, calibration: 1, more: [] };
    const shown = coworkWindow({ brief, turn_id, state, ...rest });
    const built = performance.now();
    if (!('messages' in shown) || shown.messages.length < 50) throw new Error('no proper window');
    if (window < warmUps) continue;
    samples.whole.push(built - began);
    samples.load.push(loaded - began);
    samples.build.push(built - loaded);
  }
  return samples;
}

/** A turn in its owner's hands. */
async function openTurn(db: Database, session_id: string): Promise<ClaimedUnit> {
  const turn_id = `turn_of_${session_id}`;
  const input = { content: 'As we discussed, go on.', if_busy: 'queue' } as const;
  const accept = { tenant_id, actor: 'bench', session_id, turn_id, input, decide: decideTurn };
  await inTransaction(db, (client) => acceptTurn(client, accept));
  const lease = { owner: 'bench', lease_seconds: 600, max_starts: 3 };
  const claim = await claimTurn(db, { turn_id, epoch: 0, ...lease, decide: decideTurn });
  if (claim.outcome !== 'claimed') throw new Error(`${turn_id} could not be claimed`);
  return claim.unit;
}
