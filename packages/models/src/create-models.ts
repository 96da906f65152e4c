import { AppError } from '@loom/shared/app-error';
import type { ModelInfo, ModelReply, ModelRequest, Models } from '@loom/shared/chat';
import type { ModelConfig } from '@loom/shared/config';
import { callCost } from './call-cost.ts';
import { createHttpFetch } from './http-fetch.ts';
import { keyVariable, loadProvider } from './load-provider.ts';
import { toModelFailure } from './model-failure.ts';
import type { Provider, ProviderCall, ProviderReply } from './provider.ts';
import { redact } from './redact.ts';
import { nextDelay, type RetryPolicy } from './retry.ts';
import { selectModel } from './select-model.ts';
import { toAppError } from './to-app-error.ts';
import { toUsage } from './to-usage.ts';
import { openTryScope, waitUnlessAborted } from './try-scope.ts';

export interface ModelsOptions {
  models: Record<string, ModelConfig>;
  /** Looks up a key by the name of its variable. */
  apiKey: (envName: string) => string | undefined;
  retry: RetryPolicy;
  /** Bounds each try, streaming included. */
  timeout_ms: number;
  random?: () => number;
}

/** The model port: routes by role and tier, retries what may pass, and fails only with AppError. */
export function createModels(options: ModelsOptions): Models {
  const { retry, timeout_ms, random = Math.random } = options;
  const infos = Object.entries(options.models).map(([name, config]) => toInfo(name, config));
  const providers = new Map<string, Promise<Provider>>();
  const fetch = createHttpFetch();

  const keyOf = (config: ModelConfig) => {
    const variable = keyVariable(config);
    return variable === undefined ? undefined : options.apiKey(variable);
  };

  const providerOf = (name: string, config: ModelConfig) => {
    const known = providers.get(name);
    if (known !== undefined) return known;
    const loading = loadProvider({ name, config, apiKey: keyOf(config), fetch });
    providers.set(name, loading);
    loading.catch(() => providers.delete(name));
    return loading;
  };

  const complete = async (request: ModelRequest): Promise<ModelReply> => {
    const info = selectModel(infos, request);
    const config = info === null ? undefined : options.models[info.name];
    if (info === null || config === undefined) throw noModel(request, infos);
    const provider = await providerOf(info.name, config);
    const { on_delta } = request;
    let streamed = false;
    const onDelta = (text: string) => {
      streamed = true;
      on_delta?.(text);
    };

    for (let attempt = 1; ; attempt += 1) {
      if (request.signal?.aborted) throw cancelled();
      const scope = openTryScope(request.signal, timeout_ms);
      const call: ProviderCall = {
        role: request.role,
        messages: request.messages,
        tools: request.tools ?? [],
        signal: scope.signal,
        on_delta: on_delta && onDelta,
      };
      let reply: ProviderReply | null = null;
      let thrown: unknown;
      try {
        reply = await provider(call);
      } catch (error) {
        thrown = error;
      } finally {
        scope.close();
      }
      if (reply !== null) {
        const { text, tool_calls } = reply;
        const usage = toUsage(call, reply);
        return { text, tool_calls, usage, cost_micros: callCost(usage, config), model: info.name };
      }
      if (request.signal?.aborted) throw cancelled();
      const failure = scope.timedOut()
        ? { kind: 'unavailable' as const, message: `no answer within ${timeout_ms / 1000} s` }
        : toModelFailure(thrown, Date.now());
      if (failure === null) throw thrown;
      failure.message = redact(failure.message, keyOf(config));
      // A reader who has seen half an answer must not see it begin again.
      const delay = streamed ? null : nextDelay(retry, attempt, failure, random);
      if (delay === null) throw toAppError(failure, { info, attempts: attempt, streamed, retry });
      request.on_retry?.({ attempt, delay_ms: Math.round(delay), reason: failure.message });
      await waitUnlessAborted(delay, request.signal);
    }
  };

  return { complete, list: () => infos, select: (wish) => selectModel(infos, wish) };
}

function toInfo(name: string, config: ModelConfig): ModelInfo {
  const { provider, model, roles, tier, context_tokens, max_output_tokens } = config;
  const is_demo = provider === 'demo';
  return { name, provider, model, roles, tier, context_tokens, max_output_tokens, is_demo };
}

function cancelled(): AppError {
  return new AppError('cancelled', 'The model call was cancelled.');
}

function noModel({ model, role }: ModelRequest, infos: ModelInfo[]): AppError {
  const names = infos.map(({ name }) => name).join(', ') || 'none';
  const wanted = model === undefined ? `for the role "${role}"` : `named "${model}"`;
  return new AppError(
    'model_unavailable',
    `No model ${wanted} is configured (configured: ${names}). Add one under [models] in loom.toml.`,
  );
}
