const maxLength = 500;

/** The sentence in an error body, wherever the provider put it; plain text as it is. */
export function providerMessage(body: string): string {
  const message = findMessage(parse(body)) ?? (looksLikeMarkup(body) ? '' : body);
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

function findMessage(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return null;
  const { error, message, detail } = value as Record<string, unknown>;
  return findMessage(error) ?? findMessage(message) ?? findMessage(detail);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function looksLikeMarkup(body: string): boolean {
  return body.trimStart().startsWith('<');
}
