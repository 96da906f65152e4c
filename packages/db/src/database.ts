import { AppError, errorMessage } from '@loom/shared/app-error';
import type { Logger } from '@loom/shared/logger';
import pg from 'pg';
import type { PrismaClient } from './generated/prisma/client.ts';

/** One process's way to Postgres: a pool, and Prisma on the same pool for what operators look at. */
export interface Database {
  readonly pool: pg.Pool;
  /** Loaded when it is first asked for: its query compiler takes 30 MB, which workers never need. */
  prisma(): Promise<PrismaClient>;
  readonly url: string;
  close(): Promise<void>;
}

interface OpenDatabaseOptions {
  url: string;
  pool_size: number;
  application_name: string;
  logger: Logger;
}

/**
 * Every query here is by key or bounded by an index. Plans are prepared once and kept, on a new
 * database when all tables look empty: without this they would scan tables that have grown since.
 */
const plannerOptions = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']
  .map((name) => `-c ${name}=off`)
  .join(' ');

const int8Oid = pg.types.builtins.INT8;

/** Opens a pool and proves that it connects; bigints come as numbers as long as they are exact. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.pool_size,
    application_name: options.application_name,
    keepAlive: true,
    connectionTimeoutMillis: 30_000,
    statement_timeout: 60_000,
    // A frozen process must not keep its row locks: others wait for them.
    idle_in_transaction_session_timeout: 10_000,
    // Statements of a transaction that do not need each other's answers travel together.
    pipeline: true,
    options: plannerOptions,
    types: { getTypeParser },
  });
  pool.on('error', (err) => options.logger.warn({ err }, 'idle database connection lost'));
  // While someone has a connection the pool does not listen, and an error that nobody hears ends the
  // process; whoever has it learns of the loss from the next statement.
  pool.on('connect', (client) => client.on('error', () => undefined));

  try {
    await pool.query('SELECT 1');
  } catch (error) {
    await pool.end();
    throw new AppError(
      'unavailable',
      `Cannot use Postgres at ${withoutSecrets(options.url)}: ${errorMessage(error)}. Check that it runs and that DATABASE_URL is right.`,
      { retryable: true, cause: error },
    );
  }

  let prisma: Promise<PrismaClient> | null = null;
  let closing: Promise<void> | null = null;
  return {
    pool,
    url: options.url,
    prisma() {
      prisma ??= openPrisma(pool);
      return prisma;
    },
    close() {
      closing ??= (async () => {
        await (await prisma)?.$disconnect();
        await pool.end();
      })();
      return closing;
    },
  };
}

async function openPrisma(pool: pg.Pool): Promise<PrismaClient> {
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import('./generated/prisma/client.ts'),
    import('@prisma/adapter-pg'),
  ]);
  return new PrismaClient({ adapter: new PrismaPg(pool) });
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === int8Oid && format !== 'binary') return parseInt8;
  return pg.types.getTypeParser(oid, format);
}

function parseInt8(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return 'the given address';
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
