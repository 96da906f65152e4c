import type pg from 'pg';

/** Whether an instant has come, by the clock of the database: the one that all processes share. */
export async function isPast(client: pg.ClientBase, instant: string): Promise<boolean> {
  const { rows } = await client.query<{ past: boolean }>(
    'SELECT $1::timestamptz <= now() AS past',
    [instant],
  );
  return rows[0]?.past === true;
}
