/** Characters read in all: a text of open braces must not hold up everything else in the process. */
const maxRead = 10_000_000;

const thoughtEnd = '</think>';

/**
 * The first JSON object in a text that satisfies `accept`: fenced or bare, with prose around it.
 * What a model thought aloud before its answer comes last. Null when there is none.
 */
export function extractJson<T>(text: string, accept: (value: unknown) => T | null): T | null {
  const thought = text.lastIndexOf(thoughtEnd);
  const answer = thought === -1 ? null : firstIn(text.slice(thought), accept);
  return answer ?? firstIn(text, accept);
}

function firstIn<T>(text: string, accept: (value: unknown) => T | null): T | null {
  let read = 0;
  for (const { index } of text.matchAll(/\{\s*["}]/g)) {
    const end = endOfObject(text, index);
    read += (end === -1 ? text.length : end) - index;
    const value = end === -1 ? undefined : parse(text.slice(index, end));
    const accepted = value === undefined ? null : accept(value);
    if (accepted !== null || read > maxRead) return accepted;
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
