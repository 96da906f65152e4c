import { createMcpPins } from '@loom/db/mcp/mcp-pins';
import { mcpServerSchema } from '@loom/shared/mcp-config';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway.ts';

let database: TestDatabase;
let gateway: TestGateway;

function tool(name: string, description: string) {
  const input_schema = { type: 'object' };
  return { name, description, input_schema, annotations: {}, hash: `${name}/${description}` };
}

beforeAll(async () => {
  database = await createTestDatabase();
  const shop = mcpServerSchema.parse({ url: 'https://shop.example/mcp' });
  const mcp = { servers: { shop }, tenants: {} };
  gateway = await startTestGateway(database, { mcp });
  const pins = createMcpPins(gateway.db);
  await pins.observe('*', 'shop', [tool('buy', 'Buys')]);
  await pins.observe('acme', 'shop', [tool('own', 'Of acme')]);
  await database.rows(`UPDATE mcp_tools SET first_seen_at = now() - interval '1 hour'`);
  await pins.observe('*', 'shop', [tool('buy', 'Buys twice')]);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

const path = '/api/admin/mcp/shop/approve';

test('an operator sees what changed and approves it, if it still is what was seen', async () => {
  const admin = await gateway.client(['user', 'admin']);
  expect(await admin.get('/api/admin/mcp')).toMatchObject({
    items: [
      { tenant: '*', server: 'shop', name: 'buy', status: 'changed', description: 'Buys twice' },
      { tenant: 'acme', server: 'shop', name: 'own', status: 'approved', approved_by: 'config' },
    ],
  });
  const unavailable_reason =
    'its description changed; an operator must approve it: loom mcp approve shop buy';
  expect(await admin.get('/api/tools')).toMatchObject({
    items: [{ name: 'shop__buy', effect: 'effectful', available: false, unavailable_reason }],
  });
  const other = await admin.request('POST', path, { hashes: { buy: 'buy/Buys' } });
  expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } });
  const seen = { tools: ['buy'], hashes: { buy: 'buy/Buys twice' } };
  expect(await admin.request('POST', path, seen)).toMatchObject({
    status: 200,
    body: { items: [{ name: 'buy', status: 'approved', approved_by: admin.key_id }] },
  });
  expect(await admin.get('/api/admin/audit')).toMatchObject({
    items: [{ action: 'mcp.approve', actor: admin.key_id, target: 'shop' }],
  });
  expect(await admin.get('/api/tools')).toMatchObject({ items: [{ available: true }] });
});

test('another tenant’s admin sees the shared tools and decides on none but its own', async () => {
  const stranger = await gateway.client(['user', 'admin'], 'other');
  const { items } = (await stranger.get('/api/admin/mcp')) as { items: { name: string }[] };
  expect(items.map(({ name }) => name)).toEqual(['buy']);
  const status = async (body: object) => (await stranger.request('POST', path, body)).status;
  expect(await status({ tenant: '*' })).toBe(403);
  expect(await status({ tenant: 'acme' })).toBe(403);
  expect(await status({})).toBe(404);
  const user = await gateway.client(['user']);
  expect((await user.request('GET', '/api/admin/mcp')).status).toBe(403);
});
