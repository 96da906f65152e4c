import type { Database } from '../database.ts';
import { newestMessages } from './candidates.ts';
import type { Archive } from './recall-message.ts';
import type { SearchTerm } from './search-query.ts';
import { createStatement } from './statement.ts';

/** A term, and how often the newest messages hold it. */
export interface ProbedTerm extends SearchTerm {
  /** The share of the probed messages that hold it. */
  share: number;
  /** How much it says when a message holds it: the rarer, the more. */
  weight: number;
  is_common: boolean;
}

const probedMessages = 400;
const commonInProbe = 4;

/** The terms with how common each is; those that the language makes nothing of ("the") are left out. */
export async function probeTerms(
  db: Database,
  archive: Archive,
  terms: SearchTerm[],
): Promise<ProbedTerm[]> {
  if (terms.length === 0) return [];
  const statement = createStatement(db, archive);
  const matches = terms.map((term) => statement.matchTerm(term));
  const counts = matches.map((match) => `count(*) FILTER (WHERE search @@ ${match})`);
  const sizes = matches.map((match) => `numnode(${match})`);
  const rows = await statement.run<{ found: number[]; sizes: number[] }>(
    `SELECT ARRAY[${counts.join(', ')}]::int[] AS found, ARRAY[${sizes.join(', ')}] AS sizes
     FROM (${newestMessages('search', probedMessages)}) probe`,
  );
  return terms.flatMap((term, index) => {
    const found = rows[0]?.found[index] ?? 0;
    if (rows[0]?.sizes[index] === 0) return [];
    const share = found / probedMessages;
    const weight = 1 / (1 + Math.log2(1 + found));
    return [{ ...term, share, weight, is_common: found >= commonInProbe }];
  });
}
