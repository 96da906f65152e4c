import { withoutHoles } from './expand-words.ts';

const objects =
  'table|database|schema|index|view|materialized|sequence|function|procedure|trigger|type|role|user|column|constraint|extension|policy|owned|partition|tablespace|keyspace|event|domain|aggregate|server';
const droppedObject = new RegExp(`^(${objects})$`);

/** What may stand before the statement that is meant. */
const prefaces = new Set([
  'explain',
  'analyze',
  'analyse',
  'verbose',
  'begin',
  'then',
  'do',
  'else',
]);

/** What runs the text of a string. */
const executors = new Set(['execute', 'exec', 'prepare', 'immediate', 'sp_executesql']);

/**
 * Whether SQL drops, truncates or deletes. Strings and comments are not statements, but what
 * one database reads as a string may be a statement to another, so both readings count.
 */
export function deletesData(sql: string): boolean {
  const text = withoutHoles(sql);
  if (!/drop|truncate|delete/i.test(text)) return false;
  return [true, false].some((escapes) => statementsOf(text, escapes).some(isDeletion));
}

function isDeletion(words: readonly string[]): boolean {
  const first = words.findIndex((word) => !prefaces.has(word));
  return words.some((word, index) => {
    const next = words[index + 1] ?? '';
    const isFirst = index === first;
    if (word === 'drop') return (isFirst && /^\w/.test(next)) || droppedObject.test(next);
    // There is also a function of this name.
    if (word === 'truncate') return (isFirst && next !== '' && next !== '(') || next === 'table';
    if (word === 'delete') return next === 'from' || (isFirst && words.includes('from'));
    return false;
  });
}

// Strings end at the next quote of their kind; a doubled quote begins the next piece of the same.
const pieces = (escapes: boolean) =>
  new RegExp(
    [
      // Run by MySQL though it looks like a comment.
      '/\\*!\\d*',
      '/\\*(?:[^*]|\\*(?!/))*(?:\\*/|$)',
      // Without the blank it is a minus twice for MySQL.
      '--(?=\\s|$)[^\\n]*',
      escapes ? "'(?:[^'\\\\]|\\\\[\\s\\S])*(?:'|$)" : "'[^']*(?:'|$)",
      escapes ? '"(?:[^"\\\\]|\\\\[\\s\\S])*(?:"|$)' : '"[^"]*(?:"|$)',
      '`[^`]*(?:`|$)',
      '[\\p{L}_][\\p{L}\\p{N}_]*',
      ';',
      '\\S',
    ].join('|'),
    'gu',
  );

/** The words of each statement in lower case; a string counts as one of its own kind. */
function statementsOf(sql: string, escapes: boolean): string[][] {
  const statements: string[][] = [];
  const executed: string[][][] = [];
  let words: string[] = [];
  let executes = false;
  for (const [piece] of sql.matchAll(pieces(escapes))) {
    if (piece === ';') {
      statements.push(words);
      words = [];
      executes = false;
    } else if (/^['"`]/.test(piece)) {
      if (executes) executed.push(statementsOf(piece.slice(1, -1), escapes));
      words.push("''");
    } else if (!/^(--|\/\*)/.test(piece)) {
      const word = piece.toLowerCase();
      executes ||= executors.has(word);
      words.push(word);
    }
  }
  return [...statements, words, ...executed.flat()];
}

const clients = new Set(
  'bq clickhouse clickhouse-client cockroach cqlsh duckdb isql litecli mariadb mycli mysql osql pgcli prisma psql rqlite snowsql sqlcmd sqlite sqlite3 sqlplus tsql turso usql wrangler'.split(
    ' ',
  ),
);

/** Whether a program reads SQL from its arguments or its input. */
export function isSqlClient(program: string): boolean {
  return clients.has(program);
}

/** The texts a client may take as SQL: its input, and its arguments with or without an option. */
export function sqlTexts(args: readonly string[], stdin: readonly string[]): string[] {
  const attached = args.flatMap((arg) => /^(?:--[\w-]+=|-\w)([\s\S]+)$/.exec(arg)?.[1] ?? []);
  return [...args, ...attached, ...stdin];
}

/** The shell commands that a client runs when it reads this text. */
export function shellEscapes(sql: string): string[] {
  return [...sql.matchAll(/^\s*(?:\\!|\.shell\b|\.system\b|system\b)(.+)$/gm)].map(
    ([, command = '']) => command.trim(),
  );
}
