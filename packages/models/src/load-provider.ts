import { AppError } from '@loom/shared/app-error';
import { assertNever } from '@loom/shared/assert-never';
import type { ModelConfig } from '@loom/shared/config';
import type { Provider } from './provider.ts';
import { createSdkProvider } from './sdk-provider.ts';
import { toAnthropicPrompt } from './to-anthropic-prompt.ts';
import { toPrompt } from './to-prompt.ts';
import { createTolerantFetch } from './tolerant-fetch.ts';

interface LoadOptions {
  name: string;
  config: ModelConfig;
  /** The key itself, or undefined when none is configured or set. */
  apiKey: string | undefined;
  fetch: typeof globalThis.fetch;
}

/** Builds a model's provider, importing its SDK only now: a process that calls no model loads none. */
export async function loadProvider(options: LoadOptions): Promise<Provider> {
  const { config, fetch } = options;
  const settings = { maxOutputTokens: config.max_output_tokens };
  switch (config.provider) {
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const baseURL = config.base_url ?? missing(options, 'base_url');
      const apiKey = config.api_key_env === undefined ? undefined : requireKey(options);
      const tolerant = createTolerantFetch(fetch);
      const provider = createOpenAICompatible({
        name: options.name,
        baseURL,
        apiKey,
        includeUsage: true,
        ...tolerant,
      });
      return createSdkProvider({ model: provider.chatModel(config.model), toPrompt, settings });
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const baseURL = config.base_url ?? 'https://api.openai.com/v1';
      const provider = createOpenAI({ baseURL, apiKey: requireKey(options), fetch });
      return createSdkProvider({ model: provider.chat(config.model), toPrompt, settings });
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const baseURL = config.base_url ?? 'https://api.anthropic.com/v1';
      const provider = createAnthropic({ baseURL, apiKey: requireKey(options), fetch });
      const model = provider.languageModel(config.model);
      return createSdkProvider({ model, toPrompt: toAnthropicPrompt, settings });
    }
    case 'ollama': {
      const { createOllama } = await import('ollama-ai-provider-v2');
      const provider = createOllama({ baseURL: ollamaUrl(config.base_url), fetch });
      // Ollama cuts a longer prompt silently unless told how much context is meant.
      const limits = { num_ctx: config.context_tokens, num_predict: config.max_output_tokens };
      const model = provider.languageModel(config.model);
      return createSdkProvider({
        model,
        toPrompt,
        settings: { providerOptions: { ollama: { options: limits } } },
      });
    }
    case 'demo': {
      const { demoProvider } = await import('./demo/demo-provider.ts');
      return demoProvider;
    }
    default:
      return assertNever(config.provider);
  }
}

/** The variable that holds a model's key, by configuration or by the provider's custom. */
export function keyVariable(config: ModelConfig): string | undefined {
  if (config.api_key_env !== undefined) return config.api_key_env;
  if (config.provider === 'openai') return 'OPENAI_API_KEY';
  return config.provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : undefined;
}

function requireKey({ name, config, apiKey }: LoadOptions): string {
  if (apiKey) return apiKey;
  const variable = keyVariable(config);
  throw new AppError(
    'model_rejected',
    `The model "${name}" needs a key: set the environment variable ${variable} and start again.`,
    { details: { model: name, variable } },
  );
}

function missing({ name }: LoadOptions, key: string): never {
  throw new AppError('model_rejected', `The model "${name}" needs models.${name}.${key}.`);
}

function ollamaUrl(baseUrl: string | undefined): string {
  const url = (baseUrl ?? 'http://127.0.0.1:11434').replace(/\/+$/, '');
  return url.endsWith('/api') ? url : `${url}/api`;
}
