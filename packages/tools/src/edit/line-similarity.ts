/** Above this many cell steps two lines count as different rather than stall the process. */
const maxSteps = 1_000_000;

function commonPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

function commonSuffix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (
    length < most &&
    a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)
  )
    length++;
  return length;
}

/** The longest common subsequence; equal beginnings and ends belong to it without a search. */
function commonSubsequence(a: string, b: string): number {
  const prefix = commonPrefix(a, b);
  const [restOfA, restOfB] = [a.slice(prefix), b.slice(prefix)];
  const suffix = commonSuffix(restOfA, restOfB);
  const middle = subsequence(
    restOfA.slice(0, restOfA.length - suffix),
    restOfB.slice(0, restOfB.length - suffix),
  );
  return prefix + middle + suffix;
}

function subsequence(a: string, b: string): number {
  if (a.length * b.length > maxSteps) return 0;
  let previous = new Uint32Array(b.length + 1);
  let current = new Uint32Array(b.length + 1);
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      current[column] =
        a.charCodeAt(row - 1) === b.charCodeAt(column - 1)
          ? (previous[column - 1] ?? 0) + 1
          : Math.max(previous[column] ?? 0, current[column - 1] ?? 0);
    }
    [previous, current] = [current, previous];
  }
  return previous[b.length] ?? 0;
}

/** How alike two blocks of equally many lines are, line by line: 0 nothing shared, 1 equal. */
export function lineSimilarity(a: readonly string[], b: readonly string[]): number {
  let shared = 0;
  let total = 0;
  for (const [index, line] of a.entries()) {
    const other = b[index] ?? '';
    // Each line end counts as a shared character, so that empty lines weigh something.
    shared += 2 * (commonSubsequence(line, other) + 1);
    total += line.length + other.length + 2;
  }
  return total === 0 ? 1 : shared / total;
}
