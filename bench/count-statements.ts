import pg from 'pg';

export interface StatementCount {
  /** Statements of the product's own pool. */
  own: number;
  /** Statements that BullMQ sends on its Postgres backend. */
  queue: number;
}

let installed: StatementCount | null = null;

/** Counts every statement that this process sends to Postgres from the first call on. */
export function countStatements(): StatementCount {
  installed ??= install();
  return { ...installed };
}

function install(): StatementCount {
  const count = { own: 0, queue: 0 };
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const { connectionParameters } = this as unknown as { connectionParameters: pg.ClientConfig };
    count[connectionParameters.application_name === 'loom-queue' ? 'queue' : 'own'] += 1;
    return Reflect.apply(query, this, args);
  } as typeof query;
  return count;
}
