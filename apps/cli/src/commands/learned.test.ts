import { resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { runCaptured } from '../testing/run-captured.ts';
import { json, type ScriptedGateway, startScriptedGateway } from '../testing/scripted-gateway.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

const rules = [
  { id: 'rule_1', workspace: '/w', rule: 'Use tabs.\u001b[31m', times: 3 },
  { id: 'rule_2', workspace: null, rule: 'No emojis.', times: 1 },
];

async function run(...args: string[]) {
  gateway = await startScriptedGateway({
    'GET /api/learned': json({ items: rules, next_cursor: null }),
    'DELETE /api/learned/rule_1': (_, response) => {
      response.writeHead(204).end();
    },
  });
  const said = await runCaptured([...args, '--url', gateway.base_url]);
  return { ...said, heard: gateway.heard };
}

it('lists rules with how often they were said and where they hold', async () => {
  const { code, stdout } = await run('learned');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^rule_1 +3 +\/w +Use tabs\.\[31m$/m);
  expect(stdout).toMatch(/^rule_2 +1 +\* +No emojis\.$/m);
});

it('asks for the rules of a directory as it looks from here', async () => {
  const { heard } = await run('learned', '--workspace', 'docs', '--limit', '5');
  const query = new URLSearchParams({ limit: '5', workspace: resolve('docs') });
  expect(heard.map(({ path }) => path)).toEqual([`/api/learned?${query}`]);
});

it('forgets a rule, and fails when there is none', async () => {
  const done = await run('learned', 'forget', 'rule_1');
  expect(done).toMatchObject({ code: 0, stdout: 'rule_1: forgotten\n' });
  await gateway?.close();
  const machine = await run('learned', 'forget', 'rule_1', '--json');
  expect(JSON.parse(machine.stdout)).toEqual({ id: 'rule_1' });
  await gateway?.close();
  const none = await run('learned', 'forget', 'rule_9');
  expect(none.code).not.toBe(0);
  expect(none.stdout).toBe('');
});
