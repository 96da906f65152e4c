type JsonRecord = Record<string, unknown>;

/**
 * A completion as servers really send it, brought to the strict shape: tool arguments are text.
 * Null when the text is not a JSON object.
 */
export function normalizeCompletion(text: string): JsonRecord | null {
  const body = parseObject(text);
  if (body === null || !Array.isArray(body.choices)) return body;
  for (const choice of body.choices) {
    const calls = isRecord(choice) && isRecord(choice.message) ? choice.message.tool_calls : null;
    if (!Array.isArray(calls)) continue;
    for (const call of calls) {
      if (isRecord(call) && isRecord(call.function)) {
        call.function.arguments = toText(call.function.arguments);
      }
    }
  }
  return body;
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function parseObject(text: string): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is JsonRecord {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
