import { parse, TomlError } from 'smol-toml';
import { errorMessage } from './app-error.ts';

type ReadFile = (path: string) => string | null;

/** The tables of a TOML file; null with a problem when it is missing, unreadable or malformed. */
export function readConfigFile(
  path: string,
  options: { required: boolean; named_by: string; readFile: ReadFile },
): { values: Record<string, unknown> | null; problem: string | null } {
  let text: string | null;
  try {
    text = options.readFile(path);
  } catch (error) {
    return {
      values: null,
      problem: `${options.named_by}: cannot read ${path}: ${errorMessage(error)}`,
    };
  }
  if (text === null) {
    return options.required
      ? { values: null, problem: `${options.named_by}: there is no file ${path}` }
      : { values: {}, problem: null };
  }
  try {
    return { values: parse(text), problem: null };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '');
    return {
      values: null,
      problem: `${path}, line ${error.line}, column ${error.column}: ${what}`,
    };
  }
}
