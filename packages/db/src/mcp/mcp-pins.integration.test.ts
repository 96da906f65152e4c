import { mcpServerSchema } from '@loom/shared/mcp-config';
import { type McpPin, mcpPinStatus, type ObservedMcpTool } from '@loom/shared/mcp-pins';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { approveMcpTools } from './approve-mcp-tools.ts';
import { listMcpTools } from './list-mcp-tools.ts';
import { createMcpPins } from './mcp-pins.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const actor = { tenant_id: 'default', key_id: 'key_1' };

function tool(name: string, description = name): ObservedMcpTool {
  const input_schema = { type: 'object' };
  return { name, description, input_schema, annotations: {}, hash: `${name}/${description}` };
}

async function statuses(server: string): Promise<Record<string, string>> {
  const pins = await createMcpPins(database.database).list(['*']);
  const mine = pins.filter((pin: McpPin) => pin.server === server);
  return Object.fromEntries(mine.map((pin) => [pin.name, mcpPinStatus(pin)]));
}

/** As if the server had been known for long. */
async function age(server: string): Promise<void> {
  await database.rows(
    `UPDATE mcp_tools SET first_seen_at = now() - interval '1 hour',
      last_seen_at = now() - interval '1 hour' WHERE server = $1`,
    [server],
  );
}

test('what is there at first sight is approved, what comes or changes later waits', async () => {
  const pins = createMcpPins(database.database);
  await pins.observe('*', 'first', [tool('a'), tool('b')]);
  expect(await statuses('first')).toEqual({ a: 'approved', b: 'approved' });
  await pins.observe('*', 'first', [tool('a'), tool('b'), tool('soon')]);
  expect(await statuses('first')).toMatchObject({ soon: 'approved' });
  await age('first');
  await pins.observe('*', 'first', [tool('a', 'poisoned'), tool('b'), tool('late')]);
  expect(await statuses('first')).toEqual({
    a: 'changed',
    b: 'approved',
    late: 'pending',
    soon: 'approved',
  });
});

test('a tool that goes back to what was approved is approved', async () => {
  const pins = createMcpPins(database.database);
  await pins.observe('*', 'back', [tool('a')]);
  await age('back');
  await pins.observe('*', 'back', [tool('a', 'other')]);
  expect(await statuses('back')).toEqual({ a: 'changed' });
  await pins.observe('*', 'back', [tool('a')]);
  expect(await statuses('back')).toEqual({ a: 'approved' });
});

test('an approval is for the version that was looked at, and is written down', async () => {
  const pins = createMcpPins(database.database);
  await pins.observe('*', 'careful', [tool('a'), tool('b')]);
  await age('careful');
  await pins.observe('*', 'careful', [tool('a', 'worse'), tool('b', 'worse')]);
  const approval = { tenant: '*', server: 'careful', actor };
  await expect(
    approveMcpTools(database.database, { ...approval, hashes: { a: 'a/harmless' } }),
  ).rejects.toThrow('has changed a since you looked');
  expect(await statuses('careful')).toEqual({ a: 'changed', b: 'changed' });

  await approveMcpTools(database.database, { ...approval, tools: ['a'], hashes: { a: 'a/worse' } });
  expect(await statuses('careful')).toEqual({ a: 'approved', b: 'changed' });
  await approveMcpTools(database.database, approval);
  expect(await statuses('careful')).toEqual({ a: 'approved', b: 'approved' });
  const audit = await database.rows(
    `SELECT actor, target, detail FROM audit_log WHERE action = 'mcp.approve' ORDER BY at, id`,
  );
  expect(audit).toEqual([
    { actor: 'key_1', target: 'careful', detail: { tenant: '*', tools: ['a'] } },
    { actor: 'key_1', target: 'careful', detail: { tenant: '*', tools: ['b'] } },
  ]);
});

test('what is not known cannot be approved', async () => {
  await createMcpPins(database.database).observe('*', 'small', [tool('a')]);
  const approval = { tenant: '*', server: 'small', actor };
  expect(await approveMcpTools(database.database, { ...approval, tools: ['b'] })).toBeNull();
  expect(await approveMcpTools(database.database, { ...approval, server: 'none' })).toBeNull();
  expect(await approveMcpTools(database.database, { ...approval, tenant: 'acme' })).toBeNull();
});

test('of workers that meet a server at once, one is first', async () => {
  const pins = createMcpPins(database.database);
  const versions = ['one', 'two', 'three', 'four'];
  await Promise.all(versions.map((version) => pins.observe('*', 'raced', [tool('a', version)])));
  const [pin] = (await pins.list(['*'])).filter(({ server }) => server === 'raced');
  expect(versions.map((version) => `a/${version}`)).toContain(pin?.approved_hash);
  expect(pin?.approved_by).toBe('config');
});

test('a tenant is offered what its connection showed and the configuration offers', async () => {
  const pins = createMcpPins(database.database);
  await pins.observe('*', 'shop', [tool('buy'), tool('sell'), tool('gone')]);
  await age('shop');
  await pins.observe('*', 'shop', [tool('buy', 'changed'), tool('sell')]);
  await pins.observe('acme', 'shop', [tool('own')]);
  const credentials = { env: {}, headers_env: {} };
  const server = mcpServerSchema.parse({ url: 'https://shop.example/mcp' });
  const catalog = {
    servers: { shop: server },
    tenants: { acme: { mcp: { shop: credentials } } },
  };
  const names = async (tenant_id: string, servers = catalog.servers) =>
    (await listMcpTools(database.database, { tenant_id, catalog: { ...catalog, servers } })).map(
      ({ name, available }) => [name, available],
    );
  expect(await names('default')).toEqual([
    ['shop__buy', false],
    ['shop__sell', true],
  ]);
  expect(await names('acme')).toEqual([['shop__own', true]]);
  expect(await names('default', { shop: { ...server, tools: ['sell'] } })).toEqual([
    ['shop__sell', true],
  ]);
});
