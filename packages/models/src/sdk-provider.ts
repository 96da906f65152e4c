import type { ChatMessage, ToolSpec } from '@loom/shared/chat';
import { toStorableText } from '@loom/shared/text';
import { createDeltaCleaner } from './delta-cleaner.ts';
import type { CallOptions, LanguageModel, Prompt } from './language-model.ts';
import type { Provider, ProviderCall, ProviderReply } from './provider.ts';
import { StreamFailure } from './stream-failure.ts';
import { type RawToolCall, toToolCalls } from './to-tool-calls.ts';

interface SdkProviderOptions {
  model: LanguageModel;
  toPrompt: (messages: readonly ChatMessage[]) => Prompt;
  settings: Pick<CallOptions, 'maxOutputTokens' | 'providerOptions'>;
}

/** Drives an AI SDK model one call at a time, below the SDK's own loop and retries. */
export function createSdkProvider({ model, toPrompt, settings }: SdkProviderOptions): Provider {
  return async (call) => {
    const options: CallOptions = {
      ...settings,
      prompt: toPrompt(call.messages),
      tools: call.tools.length > 0 ? call.tools.map(toSdkTool) : undefined,
      abortSignal: call.signal,
    };
    return call.on_delta === undefined
      ? generate(model, options, call)
      : stream(model, options, call, call.on_delta);
  };
}

function toSdkTool(tool: ToolSpec) {
  const inputSchema = tool.input_schema;
  return { type: 'function' as const, name: tool.name, description: tool.description, inputSchema };
}

async function generate(model: LanguageModel, options: CallOptions, call: ProviderCall) {
  const headers = { accept: 'application/json' };
  const { content, usage } = await model.doGenerate({ ...options, headers });
  let text = '';
  const calls: RawToolCall[] = [];
  for (const part of content) {
    if (part.type === 'text') text += part.text;
    if (part.type === 'tool-call') calls.push(toRawCall(part));
  }
  return toReply(text, calls, usage, call);
}

async function stream(
  model: LanguageModel,
  options: CallOptions,
  call: ProviderCall,
  onDelta: (text: string) => void,
) {
  const headers = { accept: 'text/event-stream' };
  const { stream } = await model.doStream({ ...options, headers });
  const deltas = createDeltaCleaner(onDelta);
  let text = '';
  let usage: Usage | null = null;
  const calls: RawToolCall[] = [];
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      text += part.delta;
      deltas.push(part.delta);
    } else if (part.type === 'tool-call') calls.push(toRawCall(part));
    else if (part.type === 'error') throw StreamFailure.from(part.error);
    else if (part.type === 'finish' && isFinished(part.finishReason)) usage = part.usage;
  }
  if (usage === null) throw StreamFailure.cut();
  deltas.end();
  return toReply(text, calls, usage, call);
}

type Usage = Awaited<ReturnType<LanguageModel['doGenerate']>>['usage'];

// The SDK reports a stream that just stopped as finished for the reason "other", with none given.
function isFinished(reason: { unified: string; raw: string | undefined }): boolean {
  return reason.unified !== 'other' || reason.raw !== undefined;
}

function toRawCall(part: { toolCallId: string; toolName: string; input: string }): RawToolCall {
  return { id: part.toolCallId, name: part.toolName, arguments: part.input };
}

function toReply(
  text: string,
  calls: RawToolCall[],
  usage: Usage,
  { messages }: ProviderCall,
): ProviderReply {
  const earlier = messages.reduce((sum, message) => sum + (message.tool_calls?.length ?? 0), 0);
  return {
    text: toStorableText(text),
    tool_calls: toToolCalls(calls, earlier),
    usage: { input_tokens: usage.inputTokens.total, output_tokens: usage.outputTokens.total },
  };
}
