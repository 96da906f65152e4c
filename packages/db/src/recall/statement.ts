import type pg from 'pg';
import type { Database } from '../database.ts';
import { type Archive, archiveValues } from './recall-message.ts';
import type { SearchTerm } from './search-query.ts';

/** A statement on an archive that collects its values while it is put together. */
export interface Statement {
  /** Adds a value and gives its place. */
  bind(value: unknown): string;
  /** The query for messages that hold a term in any of its forms. */
  matchTerm(term: SearchTerm): string;
  run<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>;
}

/** A new statement; the archive's own values come first. */
export function createStatement(db: Database, archive: Archive): Statement {
  const values = archiveValues(archive);
  const known = new Map<string, string>();
  const bind = (value: unknown) => `$${values.push(value)}`;
  const matchForm = (form: string) => `phraseto_tsquery('english', ${bind(form)})`;
  const matchTerm = ({ text, forms }: SearchTerm) => {
    const match = known.get(text) ?? `(${forms.map(matchForm).join(' || ')})`;
    known.set(text, match);
    return match;
  };
  return {
    bind,
    matchTerm,
    run: async <Row extends pg.QueryResultRow>(text: string) =>
      (await db.pool.query<Row>(text, values)).rows,
  };
}
