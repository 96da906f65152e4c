import type { JsonValue } from '@loom/shared/json';
import type { ToolContext, ToolInfo } from '@loom/shared/tool';
import { createToolRegistry } from '@loom/tools/registry';
import { describe, expect, test } from 'vitest';
import { catalogTools } from './catalog-tools.ts';

const info = (name: string, description: string, more: Partial<ToolInfo> = {}): ToolInfo => ({
  name,
  description,
  input_schema: { type: 'object', properties: { [`of_${name}`]: { type: 'string' } } },
  effect: 'read',
  available: true,
  unavailable_reason: null,
  ...more,
});
const few = [
  info('read_file', 'Read a file of the workspace.'),
  info('web_fetch', 'Get a page from the internet.\nSecond line.'),
  info('shell_execute', 'Run a command.', { available: false, unavailable_reason: 'no sandbox' }),
  info('github__create_issue', 'Open an issue.'),
  info('github__list_issues', 'Show issues.'),
];
const many = Array.from({ length: 150 }, (_, n) => info(`crm__op_${n}`, `Does ${n}.`));
const wide = many.map((one) => ({ ...one, description: 'x'.repeat(3_000) }));

async function list(tools: readonly ToolInfo[], args: JsonValue): Promise<string> {
  const registry = createToolRegistry(
    catalogTools(() => tools),
    { max_output_chars: 100_000 },
  );
  const context = { signal: new AbortController().signal } as ToolContext;
  return (await registry.run('list_tools', args, context)).text;
}
const namesIn = (text: string) => text.split('\n').map((line) => line.split(' ')[0]);

describe('names', () => {
  test('every tool has a line with its category and what it is for', async () => {
    const text = await list(few, {});
    expect(namesIn(text)).toEqual(few.map(({ name }) => name));
    expect(text).toContain('web_fetch [web]: Get a page from the internet.\n');
    expect(text).toContain(
      'shell_execute [shell]: Run a command. (cannot be used here: no sandbox)',
    );
    expect(text).not.toContain('of_read_file');
  });

  test.each([
    [{ category: 'github' }, ['github__create_issue', 'github__list_issues']],
    [{ category: ' GitHub ' }, ['github__create_issue', 'github__list_issues']],
    [{ query: 'make a new issue' }, ['github__create_issue', 'github__list_issues']],
    [{ query: 'Internet' }, ['web_fetch']],
    [{ query: 'create_iss' }, ['github__create_issue']],
    [{ query: 'issues', category: 'github' }, ['github__list_issues', 'github__create_issue']],
  ])('%j finds what it is about', async (args, names) => {
    expect(namesIn(await list(few, args))).toEqual(names);
  });

  test('a word of a name weighs more than two of a description', async () => {
    const tools = [info('a__note', 'Tracker of an issue.'), info('b__issue', 'Something.')];
    expect(namesIn(await list(tools, { query: 'issue tracker' }))).toEqual(['b__issue', 'a__note']);
  });

  test('what is not there is said, with where to look', async () => {
    const text = await list(few, { query: 'quantum' });
    expect(text).toContain('No tool matches. Categories: files, github, shell, web.');
    expect(await list(few, { query: 'issues', category: 'files' })).toContain('No tool matches.');
  });

  test('are bounded', async () => {
    const text = await list(many, {});
    expect(text.split('\n')).toHaveLength(101);
    expect(text).toContain('50 more match');
  });
});

describe('schemas', () => {
  test('need a filter', async () => {
    const text = await list(few, { detail: 'schema' });
    expect(text).toContain(
      '"detail": is too much for all tools at once: add "query" or "category"',
    );
    expect(text).not.toContain('of_read_file');
  });

  test('are shown whole for what is asked for', async () => {
    const text = await list(few, { detail: 'schema', query: 'read_file' });
    expect(text).toBe(
      'read_file [files, read]: Read a file of the workspace.\n{"type":"object","properties":{"of_read_file":{"type":"string"}}}',
    );
  });

  test('are at most ten, and what is left out is counted', async () => {
    const text = await list(many, { detail: 'schema', category: 'crm' });
    expect(text.match(/of_crm/g)).toHaveLength(10);
    expect(text).toContain('140 more match');
  });

  test('are bounded in size, and never half', async () => {
    const text = await list(wide, { detail: 'schema', category: 'crm' });
    expect(text.length).toBeLessThan(12_200);
    const schemas = text.split('\n').filter((line) => line.startsWith('{'));
    expect(schemas.length).toBeGreaterThan(3);
    for (const schema of schemas) expect(() => JSON.parse(schema)).not.toThrow();
  });
});

test('record_decision answers, and refuses what is no decision', async () => {
  const registry = createToolRegistry(
    catalogTools(() => []),
    { max_output_chars: 1_000 },
  );
  const context = { signal: new AbortController().signal } as ToolContext;
  const run = (decision: string) => registry.run('record_decision', { decision }, context);
  expect(await run('Use Postgres.')).toEqual({ ok: true, text: 'Noted.' });
  expect(await run('x'.repeat(500))).toMatchObject({ ok: true });
  expect(await run('x'.repeat(501))).toMatchObject({ error_code: 'invalid_arguments' });
  expect(await run('  ')).toMatchObject({ error_code: 'invalid_arguments' });
  expect(registry.effect('record_decision')).toBe('idempotent');
});
