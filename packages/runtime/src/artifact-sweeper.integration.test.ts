import { configSchema } from '@loom/shared/config';
import { createLogger } from '@loom/shared/logger';
import { createTestDatabase } from '@loom/testing/test-database';
import { expect, test } from 'vitest';
import { startArtifactSweeper } from './artifact-sweeper.ts';
import type { Runtime } from './create-runtime.ts';

test('sweeps by the retention of the configuration, again and again until it is stopped', async () => {
  const { database: db, rows } = await createTestDatabase();
  await rows(
    `INSERT INTO artifacts (ref, tenant_id, scope, name, kind, mime, source, hash, size, created_at)
     SELECT 'af_' || n, 'acme', scope, 'n', 'text', 'text/plain', 's', n::text, 10, now() - n * interval '1 hour'
     FROM (VALUES (1, 'many'), (2, 'many'), (3, 'many'), (80, 'old')) v(n, scope)`,
  );
  const left = async () =>
    (await rows<{ ref: string }>('SELECT ref FROM artifacts ORDER BY ref')).map(({ ref }) => ref);
  const logger = createLogger({ level: 'silent', name: 'test' });
  /** Lets it sweep until so many are left, which the time limit of the test bounds. */
  const sweepTo = async (count: number, runner: Record<string, number>) => {
    const config = configSchema.parse({ limits: { runner } });
    const sweeper = startArtifactSweeper({ db, logger, config } as unknown as Runtime, 1);
    while ((await left()).length > count);
    await sweeper.stop();
    return left();
  };
  const age = { ingest_artifact_retention_max_age_days: 3 };
  expect(await sweepTo(3, age)).toEqual(['af_1', 'af_2', 'af_3']);
  const files = { ingest_artifact_retention_max_files_per_scope: 2 };
  expect(await sweepTo(2, files)).toEqual(['af_1', 'af_2']);
  const bytes = { ingest_artifact_retention_max_bytes_per_scope: 10 };
  expect(await sweepTo(1, bytes)).toEqual(['af_1']);
});
