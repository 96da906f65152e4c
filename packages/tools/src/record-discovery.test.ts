import { expect, test } from 'vitest';
import { recordDiscoveryTool } from './record-discovery.ts';
import { createToolRegistry } from './registry.ts';
import { contextIn } from './test-workspace.ts';

const registry = createToolRegistry([recordDiscoveryTool as never], { max_output_chars: 1_000 });
const context = contextIn(null);

test('a discovery is noted; nothing outside changes, so nobody has to allow it', async () => {
  expect(registry.effect('record_discovery')).toBe('read');
  const args = { summary: 'The API has a second version', detail: 'see /v2' };
  expect(await registry.run('record_discovery', args, context)).toEqual({
    ok: true,
    text: 'Noted.',
  });
});

test.each([
  [{}, 'summary'],
  [{ summary: '  ' }, 'must say what was found'],
  [{ summary: 'x'.repeat(501) }, 'summary'],
  [{ summary: 'fine', more: 1 }, 'not a known field'],
])('%j is refused with a sentence that helps', (args, words) => {
  expect(registry.check('record_discovery', args)).toMatchObject({
    ok: false,
    error_code: 'invalid_arguments',
    text: expect.stringContaining(words),
  });
});
