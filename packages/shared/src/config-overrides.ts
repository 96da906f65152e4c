import { z } from 'zod';
import { describeUnknownKey } from './config-problems.ts';
import { schemaAt } from './config-schema-walk.ts';
import { parseConfigText } from './parse-config-text.ts';

type Table = Record<string, unknown>;

/** Configuration on its way to the schema: raw values, who set them, what was wrong so far. */
export interface ConfigDraft {
  schema: z.core.$ZodType;
  values: Table;
  /** Dotted path to the variable that set it. */
  sources: Map<string, string>;
  problems: string[];
}

/** Puts a variable's text at a path, in the type the schema wants there. */
export function overrideFromText(
  draft: ConfigDraft,
  source: string,
  path: string[],
  text: string,
): void {
  const schema = schemaAt(draft.schema, path);
  if (schema === null) {
    draft.problems.push(`${source}: ${describeUnknownPath(draft.schema, path)}`);
    return;
  }
  const parsed = parseConfigText(schema, text.trim());
  if ('problem' in parsed) draft.problems.push(`${source}: ${parsed.problem}`);
  else override(draft, source, path, parsed.value);
}

/** Puts a value at a path; a file that has no table there keeps its own, to be refused later. */
export function override(draft: ConfigDraft, source: string, path: string[], value: unknown): void {
  let table = draft.values;
  for (const key of path.slice(0, -1)) {
    if (!Object.hasOwn(table, key)) table[key] = {};
    const inner = table[key];
    if (!isTable(inner)) return;
    table = inner;
  }
  table[path.at(-1) ?? ''] = value;
  draft.sources.set(path.join('.'), source);
}

/** Applies every `LOOM_<SECTION>__<KEY>`; names of models match the file's, whatever their case. */
export function overrideFromEnvironment(
  draft: ConfigDraft,
  env: Record<string, string | undefined>,
): void {
  for (const [variable, text] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!variable.startsWith('LOOM_') || !variable.includes('__')) continue;
    if (text === undefined || text.trim() === '') continue;
    const segments = variable.slice('LOOM_'.length).toLowerCase().split('__');
    overrideFromText(draft, variable, namesInFile(draft, segments), text);
  }
}

function namesInFile(draft: ConfigDraft, segments: string[]): string[] {
  const path: string[] = [];
  let table: unknown = draft.values;
  for (const segment of segments) {
    const isFree = schemaAt(draft.schema, path) instanceof z.ZodRecord;
    const names = isFree && isTable(table) ? Object.keys(table) : [];
    const name = names.find((key) => asVariable(key) === asVariable(segment)) ?? segment;
    path.push(name);
    table = isTable(table) ? table[name] : undefined;
  }
  return path;
}

function asVariable(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');
}

function describeUnknownPath(schema: z.core.$ZodType, path: string[]): string {
  const known = path.findIndex((_, index) => schemaAt(schema, path.slice(0, index + 1)) === null);
  return describeUnknownKey(schema, path.slice(0, known), path[known] ?? '');
}

function isTable(value: unknown): value is Table {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}
