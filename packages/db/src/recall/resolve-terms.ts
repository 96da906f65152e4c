import type { Database } from '../database.ts';
import { indexedMatches } from './candidates.ts';
import type { ProbedTerm } from './probe-terms.ts';
import type { Archive } from './recall-message.ts';
import { spellingVariants } from './spelling-variants.ts';
import { createStatement, type Statement } from './statement.ts';

/** A term in the way in which the archive knows it. */
export interface ResolvedTerm extends ProbedTerm {
  /** `none`: the index has nothing like it. */
  known_as: 'written' | 'beginning' | 'misspelt' | 'none';
  /** The words of the index that a misspelt one may stand for. */
  meant: string[];
}

const shortestBeginning = 3;
const looksForMeant = 200;
const variantsAtOnce = 100;

/** Finds for each term the nearest thing that the index knows: itself, words that begin so, or with one letter off. */
export async function resolveTerms(
  db: Database,
  archive: Archive,
  terms: ProbedTerm[],
): Promise<ResolvedTerm[]> {
  // What the newest messages hold is known; to ask the index for a common word takes long.
  const unseen = terms.filter(({ share }) => share === 0);
  const known = await findKnown(db, archive, unseen);
  return Promise.all(
    terms.map(async (term) => {
      const known_as = term.share > 0 ? 'written' : (known[unseen.indexOf(term)] ?? 'none');
      if (known_as !== 'none' || term.is_hidden) return { ...term, known_as, meant: [] };
      const meant = await findMeant(db, archive, term.text);
      return { ...term, known_as: meant.length > 0 ? ('misspelt' as const) : known_as, meant };
    }),
  );
}

/** The query for messages that hold a term as it is known. */
export function matchResolved(statement: Statement, term: ResolvedTerm): string {
  if (term.known_as === 'beginning') return matchBeginning(statement, term);
  if (term.known_as !== 'misspelt') return statement.matchTerm(term);
  const words = term.meant.map((word) => `'${word}'`).join(' | ');
  return `to_tsquery('simple', ${statement.bind(words)})`;
}

async function findKnown(
  db: Database,
  archive: Archive,
  terms: ProbedTerm[],
): Promise<ResolvedTerm['known_as'][]> {
  if (terms.length === 0) return [];
  const statement = createStatement(db, archive);
  const exists = (match: string) => `EXISTS (${indexedMatches(match, 1)})`;
  const checks = terms.map((term) => {
    const written = `WHEN ${exists(statement.matchTerm(term))} THEN 'written'`;
    const beginning = canBegin(term)
      ? `WHEN ${exists(matchBeginning(statement, term))} THEN 'beginning'`
      : '';
    return `CASE ${written} ${beginning} ELSE 'none' END`;
  });
  const rows = await statement.run<{ known: ResolvedTerm['known_as'][] }>(
    `SELECT ARRAY[${checks.join(', ')}]::text[] AS known`,
  );
  return rows[0]?.known ?? [];
}

function canBegin({ text, is_hidden }: ProbedTerm): boolean {
  return !is_hidden && text.length >= shortestBeginning;
}

function matchBeginning(statement: Statement, { text }: ProbedTerm): string {
  return `to_tsquery('english', ${statement.bind(`'${text}':*`)})`;
}

/** The words of the archive that differ from this one in a letter. */
async function findMeant(db: Database, archive: Archive, word: string): Promise<string[]> {
  const variants = spellingVariants(word);
  if (variants.length === 0) return [];
  const statement = createStatement(db, archive);
  // Hundreds of words at once look so common to the planner that it reads the session instead.
  const branches = Array.from(
    { length: Math.ceil(variants.length / variantsAtOnce) },
    (_, index) => {
      const some = variants.slice(index * variantsAtOnce, (index + 1) * variantsAtOnce);
      const words = statement.bind(some.join(' '));
      const anyOf = `to_tsquery('english', replace(${words}, ' ', ' | '))`;
      return `SELECT lexeme FROM (${indexedMatches(anyOf, looksForMeant)}) found, unnest(search) AS held
      WHERE lexeme = ANY (tsvector_to_array(to_tsvector('english', ${words})))`;
    },
  );
  const rows = await statement.run<{ lexeme: string }>(branches.join(' UNION '));
  return rows.map(({ lexeme }) => lexeme);
}
