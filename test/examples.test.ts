import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configSchema, modelConfigSchema } from '@loom/shared/config';
import { loadConfig } from '@loom/shared/load-config';
import { mcpServerSchema } from '@loom/shared/mcp-config';
import { readConfigFile } from '@loom/shared/read-config-file';
import { expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const text = readFileSync(join(root, 'examples/loom.toml'), 'utf8');
const file = { required: true, named_by: 'LOOM_CONFIG', readFile: () => text } as const;
const shown = flatten(readConfigFile('examples/loom.toml', file).values);

// Tables that people name themselves: there is nothing to show until somebody has.
const isNamed = (key: string) => /^(models|mcp\.servers|tenants)\b/.test(key);

test('examples/loom.toml can be used as it is', () => {
  expect(() => loadConfig({ env: {}, readFile: () => text })).not.toThrow();
});

test('examples/loom.toml shows every key, with its default', () => {
  const defaults = Object.entries(flatten(configSchema.parse({}))).filter(([key]) => !isNamed(key));
  const known = Object.fromEntries(defaults);
  const others = Object.entries(shown).filter(([key]) => !isNamed(key));
  expect(Object.fromEntries(others)).toEqual(known);
});

test('examples/loom.toml shows every key of a model and of an MCP server', () => {
  const keysOf = (table: RegExp) =>
    new Set(Object.keys(shown).flatMap((key) => table.exec(key)?.[1] ?? []));
  expect(keysOf(/^models\.\w+\.(\w+)/)).toEqual(new Set(Object.keys(modelConfigSchema.shape)));
  expect(keysOf(/^mcp\.servers\.\w+\.(\w+)/)).toEqual(new Set(Object.keys(mcpServerSchema.shape)));
});

/** Values by their dotted keys; an empty table is a value too. */
function flatten(value: unknown, path: string[] = []): Record<string, unknown> {
  const isTable = value !== null && typeof value === 'object' && !Array.isArray(value);
  const entries = isTable ? Object.entries(value) : [];
  if (entries.length === 0) return { [path.join('.')]: value };
  return Object.assign({}, ...entries.map(([key, inner]) => flatten(inner, [...path, key])));
}
