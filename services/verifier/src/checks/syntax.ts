import { extname } from 'node:path';
import { errorMessage } from '@loom/shared/app-error';
import { firstLine } from '@loom/shared/text';
import type { CheckResult } from '@loom/shared/verdict';
import { parse as parseCsv } from 'csv-parse/sync';
import { parseAllDocuments } from 'yaml';
import type { SeenFile } from './look-at.ts';

interface Format {
  name: string;
  /** Throws with the reason when the text is not of this format. */
  parse(text: string): void;
}

const yaml: Format = {
  name: 'YAML',
  parse(text) {
    const [error] = [...parseAllDocuments(text)].flatMap(({ errors }) => errors);
    if (error !== undefined) throw error;
  },
};

const formats: Record<string, Format> = {
  '.json': { name: 'JSON', parse: (text) => void JSON.parse(text) },
  '.yaml': yaml,
  '.yml': yaml,
  '.csv': {
    name: 'CSV with the same number of columns in every row',
    parse: (text) => void parseCsv(text, { delimiter: delimiterOf(text), skip_empty_lines: true }),
  },
};

// Tools read these with comments in them.
const commentedJson = /(^|\/)((tsconfig|jsconfig|devcontainer)[^/]*\.json$|\.vscode\/)/;

/** Whether a json, yaml or csv file can be read as what its name says; nothing for other files. */
export function checkSyntax(file: SeenFile): CheckResult[] {
  const format = formats[extname(file.path).toLowerCase()];
  if (format === undefined || file.bytes === 0 || commentedJson.test(file.path)) return [];
  const { path: target, sha256 } = file;
  const check = { name: 'syntax', target, advisory: false, sha256 };
  if (file.content === null) {
    const detail = `was not parsed: ${file.bytes} bytes are too many`;
    return [{ ...check, passed: false, advisory: true, detail }];
  }
  try {
    // A byte order mark at the beginning is no fault.
    format.parse(new TextDecoder('utf-8', { fatal: true }).decode(file.content));
    return [{ ...check, passed: true, detail: `is valid ${format.name}` }];
  } catch (error) {
    const detail = `is not valid ${format.name}: ${firstLine(errorMessage(error), 300)}`;
    return [{ ...check, passed: false, detail }];
  }
}

function delimiterOf(text: string): string {
  const header = firstLine(text, 10_000);
  const count = (delimiter: string) => header.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}
