import { type Completion, completionSchema, completionStatuses } from '@loom/shared/completion';

/** A closing text that was read: the block with what stands around it, or what is wrong with it. */
export type ReadCompletion =
  | { kind: 'valid'; completion: Completion; around: string }
  | { kind: 'invalid'; problem: string };

const opened = /^[ \t]*```[ \t]*completion[ \t]*\r?$/gim;
const closed = /^[ \t]*```[ \t]*\r?$/m;
const maxProblems = 5;

/** Reads the last completion block of a text; what is wrong is said so that it can be corrected. */
export function readCompletion(text: string): ReadCompletion {
  const start = [...text.matchAll(opened)].at(-1);
  if (start === undefined) {
    return invalid('your text holds no fenced block that begins with ```completion');
  }
  const rest = text.slice(start.index + start[0].length);
  // A fence that is never closed ends with the text: the JSON in it decides.
  const end = closed.exec(rest);
  const body = end === null ? rest : rest.slice(0, end.index);
  const value = parse(body);
  if (value instanceof Error) {
    return invalid(`the text in the block is not one JSON object (${value.message})`);
  }
  const parsed = completionSchema.safeParse(value);
  if (!parsed.success) return invalid(problemsOf(parsed.error.issues));
  const before = text.slice(0, start.index).trim();
  const after = end === null ? '' : rest.slice(end.index + end[0].length).trim();
  const around = [before, after].filter((part) => part !== '').join('\n\n');
  return { kind: 'valid', completion: parsed.data, around };
}

function invalid(problem: string): ReadCompletion {
  return { kind: 'invalid', problem };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function problemsOf(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  const lines = issues.slice(0, maxProblems).map(({ path, message }) => {
    const name = path.join('.');
    if (name === 'status') return `"status" must be one of ${completionStatuses.join(', ')}`;
    return name === '' ? message : `"${name}": ${message}`;
  });
  return `the block does not have the right fields: ${lines.join('; ')}`;
}
