import { expect, it } from 'vitest';
import { runCaptured } from '../testing/run-captured.ts';
import { json, startScriptedGateway } from '../testing/scripted-gateway.ts';

const keys = [{ id: 'key_1', name: 'bob', scopes: ['user'], tenant: 'default' }];

it.each([[['keys']], [['keys', 'list']]])('%j lists keys', async (args) => {
  const page = { items: keys, next_cursor: null };
  const gateway = await startScriptedGateway({ 'GET /api/admin/keys': json(page) });
  const { code, stdout } = await runCaptured([...args, '--json', '--url', gateway.base_url]);
  await gateway.close();
  expect([code, JSON.parse(stdout)]).toEqual([0, page]);
});
