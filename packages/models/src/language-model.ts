import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';

/** The AI SDK's model interface, below its own loop, retries and validation. */
export type LanguageModel = ReturnType<OpenAICompatibleProvider['chatModel']>;

export type CallOptions = Parameters<LanguageModel['doGenerate']>[0];
export type Prompt = CallOptions['prompt'];
export type PromptMessage = Prompt[number];
