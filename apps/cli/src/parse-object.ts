import { InvalidArgumentError } from 'commander';

/** An option that is a JSON object; anything else is wrong usage. */
export function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new InvalidArgumentError('Give a JSON object, such as {"name": "value"}.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
