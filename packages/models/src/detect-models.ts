import { type ModelConfig, modelConfigSchema } from '@loom/shared/config';
import { z } from 'zod';

interface DetectOptions {
  apiKey: (envName: string) => string | undefined;
  fetch: typeof globalThis.fetch;
}

type DetectedModels = Record<string, ModelConfig>;

const ollamaUrl = 'http://127.0.0.1:11434';
const ollamaTimeoutMs = 300;

/**
 * The models to use when none is configured: Anthropic or OpenAI by their keys, else a reachable
 * Ollama, else the demo model.
 */
export async function detectModels({ apiKey, fetch }: DetectOptions): Promise<DetectedModels> {
  if (apiKey('ANTHROPIC_API_KEY')) return anthropicModels();
  if (apiKey('OPENAI_API_KEY')) return openaiModels();
  const ollamaModel = await findOllamaModel(fetch);
  return ollamaModel === null ? demoModels() : ollamaModels(ollamaModel);
}

// The first is the one to talk to; the second saves on small work and judges the first.
function anthropicModels(): DetectedModels {
  const shared = { provider: 'anthropic', api_key_env: 'ANTHROPIC_API_KEY' };
  return {
    'claude-sonnet': modelConfigSchema.parse({
      ...shared,
      model: 'claude-sonnet-4-5',
      tier: 2,
      context_tokens: 200_000,
    }),
    'claude-haiku': modelConfigSchema.parse({
      ...shared,
      model: 'claude-haiku-4-5',
      tier: 1,
      roles: ['executor', 'verifier', 'extractor'],
      context_tokens: 200_000,
    }),
  };
}

function openaiModels(): DetectedModels {
  const shared = { provider: 'openai', api_key_env: 'OPENAI_API_KEY' };
  return {
    gpt: modelConfigSchema.parse({
      ...shared,
      model: 'gpt-5',
      tier: 2,
      context_tokens: 272_000,
      max_output_tokens: 32_000,
    }),
    'gpt-mini': modelConfigSchema.parse({
      ...shared,
      model: 'gpt-5-mini',
      tier: 1,
      roles: ['executor', 'verifier', 'extractor'],
      context_tokens: 272_000,
      max_output_tokens: 32_000,
    }),
  };
}

function ollamaModels(model: string): DetectedModels {
  return {
    ollama: modelConfigSchema.parse({
      provider: 'ollama',
      base_url: ollamaUrl,
      model,
      context_tokens: 16_384,
      max_output_tokens: 4_096,
    }),
  };
}

function demoModels(): DetectedModels {
  return { demo: modelConfigSchema.parse({ provider: 'demo', model: 'demo' }) };
}

const tagsSchema = z.object({ models: z.array(z.object({ name: z.string().min(1) })) });

async function findOllamaModel(fetch: DetectOptions['fetch']): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(ollamaTimeoutMs);
    const response = await fetch(`${ollamaUrl}/api/tags`, { signal });
    if (!response.ok) return null;
    return tagsSchema.parse(await response.json()).models[0]?.name ?? null;
  } catch {
    return null;
  }
}
