import { modelRoles } from '@loom/shared/chat';
import { expect, it } from 'vitest';
import { detectModels } from './detect-models.ts';

const unreachable: typeof globalThis.fetch = async () => {
  throw new TypeError('fetch failed');
};

function detect(keys: string[], fetch = unreachable) {
  return detectModels({ apiKey: (name) => (keys.includes(name) ? 'k' : undefined), fetch });
}

function ollama(body: string, status = 200): typeof globalThis.fetch {
  return async (input) => {
    expect(String(input)).toBe('http://127.0.0.1:11434/api/tags');
    return new Response(body, { status });
  };
}

it('prefers Anthropic, then OpenAI, and never holds the key itself', async () => {
  const both = await detect(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']);
  expect(Object.values(both)[0]).toMatchObject({
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    tier: 2,
    api_key_env: 'ANTHROPIC_API_KEY',
    roles: [...modelRoles],
  });
  const openai = await detect(['OPENAI_API_KEY']);
  expect(Object.values(openai).every(({ provider }) => provider === 'openai')).toBe(true);
});

it('uses the first model of a reachable Ollama', async () => {
  const models = await detect([], ollama('{"models":[{"name":"qwen3:8b"},{"name":"llama3"}]}'));
  expect(models).toMatchObject({ ollama: { provider: 'ollama', model: 'qwen3:8b' } });
});

it.each([
  ['nothing listens', unreachable],
  ['Ollama has no model', ollama('{"models":[]}')],
  ['something else answers', ollama('<html>')],
  ['it answers with an error', ollama('{"models":[{"name":"x"}]}', 500)],
])('falls back to the demo model when %s', async (_, fetch) => {
  expect(await detect([], fetch)).toMatchObject({
    demo: { provider: 'demo', roles: [...modelRoles] },
  });
});

it('does not wait for an Ollama that hangs', async () => {
  const hang: typeof globalThis.fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  const keepAlive = setTimeout(() => undefined, 5_000);
  expect(await detect([], hang)).toHaveProperty('demo');
  clearTimeout(keepAlive);
});
