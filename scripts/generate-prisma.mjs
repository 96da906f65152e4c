// Generates Prisma's client from prisma/schema.prisma, without network; does nothing when the
// schema has not changed since.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const schema = join(root, 'prisma', 'schema.prisma');
const stampFile = join(root, 'packages', 'db', 'src', 'generated', 'prisma', '.schema-hash');

const prismaManifest = createRequire(import.meta.url).resolve('prisma/package.json');
const stamp = createHash('sha256')
  .update(readFileSync(schema))
  .update(readFileSync(prismaManifest))
  .digest('hex');

const isCurrent = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
if (!isCurrent) {
  const prisma = join(dirname(prismaManifest), 'build', 'index.js');
  const result = spawnSync(process.execPath, [prisma, 'generate', '--no-hints'], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      // Generating needs no engine, but would download one unless it finds a file in its place.
      PRISMA_SCHEMA_ENGINE_BINARY: schema,
    },
  });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout}${result.stderr}`);
    process.exit(1);
  }
  writeFileSync(stampFile, stamp);
}
