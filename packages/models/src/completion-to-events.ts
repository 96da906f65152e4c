/** A whole completion as the event stream that would have carried it; other objects pass as one event. */
export function completionToEvents(completion: Record<string, unknown>): string {
  const choices = Array.isArray(completion.choices) ? completion.choices.map(toChunkChoice) : null;
  const chunk = choices === null ? completion : { ...completion, choices };
  return `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
}

function toChunkChoice({ message, finish_reason, ...choice }: Record<string, unknown>) {
  const { tool_calls, ...rest } = (message ?? {}) as Record<string, unknown>;
  const calls = Array.isArray(tool_calls)
    ? tool_calls.map((call: object, index) => ({ ...call, index }))
    : undefined;
  return {
    ...choice,
    delta: { ...rest, tool_calls: calls },
    finish_reason: finish_reason ?? 'stop',
  };
}
