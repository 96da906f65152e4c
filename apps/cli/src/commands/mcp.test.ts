import { afterEach, expect, it } from 'vitest';
import { runCaptured } from '../testing/run-captured.ts';
import { json, type ScriptedGateway, startScriptedGateway } from '../testing/scripted-gateway.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

function pin(name: string, status: string, tenant = '*') {
  const input_schema = { type: 'object' };
  const description = `Does ${name}\u001b[31m`;
  const approved_by = status === 'pending' ? null : 'config';
  const hash = `hash-of-${name}`;
  return { tenant, server: 'shop', name, status, description, input_schema, approved_by, hash };
}

const pins = [
  pin('buy', 'changed'),
  pin('look', 'approved'),
  pin('sell', 'pending'),
  pin('own', 'pending', 'acme'),
];

async function run(...args: string[]) {
  gateway = await startScriptedGateway({
    'GET /api/admin/mcp': json({ items: pins }),
    'POST /api/admin/mcp/shop/approve': json({ items: [pin('buy', 'approved')] }),
  });
  const said = await runCaptured([...args, '--url', gateway.base_url]);
  return { ...said, asked: gateway.heard.find(({ method }) => method === 'POST')?.body };
}

it('lists tools with their status', async () => {
  const { code, stdout } = await run('mcp');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^shop +buy +changed +\* +config +Does buy\[31m$/m);
  expect(stdout).toMatch(/^shop +sell +pending +\* +- +Does sell\[31m$/m);
});

it('approves the versions that it shows', async () => {
  const { code, stdout, stderr, asked } = await run('mcp', 'approve', 'shop', 'buy');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'shop buy: approved\n' });
  expect(stderr).toContain('buy: Does buy[31m\n  input: {"type":"object"}');
  expect(asked).toEqual({ tenant: '*', tools: ['buy'], hashes: { buy: 'hash-of-buy' } });
});

it('approves all that wait of one connection', async () => {
  const shared = await run('mcp', 'approve', 'shop');
  expect(shared.asked).toMatchObject({ tools: ['buy', 'sell'] });
  await gateway?.close();
  const own = await run('mcp', 'approve', 'shop', '--tenant', 'acme', '--json');
  expect(own.asked).toMatchObject({ tenant: 'acme', tools: ['own'] });
  expect(JSON.parse(own.stdout)).toMatchObject({ items: [{ name: 'buy' }] });
});

it('says when there is nothing to approve, or no such tool', async () => {
  const done = await run('mcp', 'approve', 'shop', 'look');
  expect(done).toMatchObject({ code: 0, asked: undefined });
  expect(done.stderr).toContain('nothing of shop waits');
  await gateway?.close();
  const none = await run('mcp', 'approve', 'shop', 'steal');
  expect(none).toMatchObject({ code: 1, asked: undefined });
  expect(none.stderr).toContain('shop has no tool steal');
});
