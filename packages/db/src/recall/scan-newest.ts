import type { Database } from '../database.ts';
import { newestMessages } from './candidates.ts';
import type { Search } from './find-every-word.ts';
import type { SearchTerm } from './search-query.ts';
import { searchedText } from './searched-text.ts';
import { createStatement } from './statement.ts';
import { wholePattern } from './whole-pattern.ts';

/** A message, and how well it matches. */
export interface ScoredMessage {
  number: number;
  score: number;
}

// No index knows the inside of words. What only looks like one word is looked for deeper than plain
// words, which the index knows unless they are part of a longer one.
const depthOfHidden = 20_000;
const depthOfPlain = 2_000;
const shortestPart = 3;
const qualityOfPart = 0.7;

/** Reads the newest messages for terms inside longer words; `exact` hold all of it, word for word or term by term. */
export async function scanNewest(
  db: Database,
  { archive, raw, terms, limit }: Search,
): Promise<{ exact: number[]; partial: ScoredMessage[] }> {
  const wanted = [...new Set([raw, ...terms.filter(canBePart).map(({ text }) => text)])];
  const depth = terms.some(({ is_hidden }) => is_hidden) ? depthOfHidden : depthOfPlain;
  const statement = createStatement(db, archive);
  const inBody = (text: string) => `strpos(body, ${statement.bind(text)}) > 0`;
  const isWhole = (text: string) =>
    `(${inBody(text)} AND body COLLATE "default" ~ ${statement.bind(wholePattern(text))})`;
  const columns = terms.map((term, index) => {
    const whole = `search @@ ${statement.matchTerm(term)} OR ${isWhole(term.text)}`;
    const part = canBePart(term) ? inBody(term.text) : 'false';
    return `CASE WHEN ${whole} THEN 1.0 WHEN ${part} THEN ${qualityOfPart} ELSE 0 END AS term_${index}`;
  });
  const places = terms.map((_, index) => `term_${index}`);
  const rows = await statement.run<{ number: number; is_exact: boolean; score: number }>(
    `SELECT number, is_literal OR (${[...places.map((place) => `${place} = 1`), places.length > 0].join(' AND ')}) AS is_exact,
       (${terms.map(({ weight }, index) => `term_${index} * ${weight}`).join(' + ') || '0'})::float AS score
     FROM (
       SELECT ${['number', `${isWhole(raw)} AS is_literal`, `strpos(said, ${statement.bind(raw)}) > 0 AS is_said`, ...columns].join(', ')}
       FROM (
         SELECT number, search, said, CASE WHEN calls IS NULL THEN said ELSE said || lower(calls) END AS body
         FROM (
           SELECT number, search, calls, ${searchedText(raw)} AS said
           FROM (${newestMessages(`number, search, content, ${calls}`, depth)}) newest OFFSET 0
         ) lowered OFFSET 0
       ) message
       WHERE ${wanted.map(inBody).join(' OR ')}
     ) scored
     ORDER BY is_literal DESC, is_exact DESC, is_said DESC, score DESC, number DESC LIMIT ${limit}`,
  );
  return {
    exact: rows.filter(({ is_exact }) => is_exact).map(({ number }) => number),
    partial: rows.filter(({ is_exact, score }) => !is_exact && score > 0),
  };
}

// What a recall was asked for is no trace of the thing itself.
const calls = `CASE WHEN tool_calls::text NOT LIKE '%"conversation_recall"%' THEN tool_calls::text END AS calls`;

function canBePart({ text, is_hidden }: SearchTerm): boolean {
  return is_hidden || [...text].length >= shortestPart;
}
