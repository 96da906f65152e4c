/**
 * The first JSON object in a text that satisfies `accept`: fenced or bare, with prose around it.
 * Null when there is none.
 */
export function extractJson<T>(text: string, accept: (value: unknown) => T | null): T | null {
  for (let start = text.indexOf('{'); start !== -1; start = text.indexOf('{', start + 1)) {
    const end = endOfObject(text, start);
    if (end === -1) continue;
    const value = parse(text.slice(start, end));
    const accepted = value === undefined ? null : accept(value);
    if (accepted !== null) return accepted;
  }
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Index behind the brace that closes the one at `start`, or -1; braces in strings do not count. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
