import { expect, it } from 'vitest';
import { isContextTooLong } from './is-context-too-long.ts';
import { toModelFailure } from './model-failure.ts';
import { nextDelay } from './retry.ts';
import { StreamFailure } from './stream-failure.ts';
import { toAppError } from './to-app-error.ts';

it.each([
  ['OpenAI', 400, '{"error":{"message":"x","code":"context_length_exceeded"}}'],
  [
    'OpenAI in words',
    400,
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
  ],
  ['OpenAI responses', 400, 'Your input exceeds the context window of this model.'],
  ['Anthropic', 400, 'prompt is too long: 210123 tokens > 200000 maximum'],
  [
    'Anthropic, with the answer',
    400,
    'input length and `max_tokens` exceed context limit: 9 + 9 > 10',
  ],
  ['Anthropic, by bytes', 413, '{"error":{"type":"request_too_large","message":"x"}}'],
  ['Ollama', 400, 'the input length exceeds the context length'],
  ['Ollama of another version', 500, 'context length exceeded for llama3'],
  [
    'llama.cpp',
    400,
    '{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}',
  ],
  [
    'vLLM',
    400,
    "You passed 1015 input tokens and requested 10 output tokens. However, the model's context length is only 1024 tokens.",
  ],
  ['vLLM, older', 400, 'The prompt (total length 25938) is too long to fit into the model'],
  ['Mistral', 400, 'Prompt contains 40000 tokens, too large for model with 32768 maximum context'],
  ['Bedrock', 400, 'Input is too long for requested model.'],
  ['LiteLLM', 400, 'Context Window exceeded for given call.'],
  ['Gemini', 400, 'The input token count (1200000) exceeds the maximum number of tokens allowed'],
])('hears %s say so', (_, status, body) => {
  expect(isContextTooLong(status, body)).toBe(true);
});

it.each([
  [429, 'Request too large: reduce the length of the messages, or wait for your tokens a minute'],
  [401, 'this key may not use the maximum context length'],
  [400, 'max_tokens must be at most 8192'],
  [400, 'tool name is too long'],
  [500, 'the request took too long'],
])('%i "%s" is something else', (status, body) => {
  expect(isContextTooLong(status, body)).toBe(false);
});

const tooLong = 'prompt is too long: 9 tokens > 8 maximum';

it('has a code of its own and is not tried again', () => {
  const error = Object.assign(new Error('x'), {
    name: 'AI_APICallError',
    statusCode: 400,
    responseBody: JSON.stringify({ error: { message: tooLong } }),
  });
  const failure = toModelFailure(error, 0);
  if (failure === null) throw new Error('not a failure');
  const retry = {
    max_attempts: 3,
    base_delay_ms: 1,
    max_delay_ms: 1,
    jitter_ms: 0,
    park_after_ms: 9,
  };
  expect(nextDelay(retry, 1, failure, () => 0)).toBeNull();
  const call = { info: { name: 'm', provider: 'p' }, attempts: 1, streamed: false, retry };
  expect(toAppError(failure, call)).toMatchObject({
    code: 'context_too_long',
    retryable: false,
    message: expect.stringContaining(tooLong),
  });
});

it('is heard inside a stream, too', () => {
  const broken = StreamFailure.from({ type: 'invalid_request_error', message: tooLong });
  expect(toModelFailure(broken, 0)?.kind).toBe('too_long');
});
