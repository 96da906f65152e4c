/** Makes lines of a stream's pieces in bounded memory. */
interface LineSplitter {
  /** False, and nothing more is taken, once a line is longer than the bound. */
  push(chunk: Buffer): boolean;
}

const lineFeed = 0x0a;

/** A splitter that hands over each line without its end. */
export function createLineSplitter(
  max_bytes: number,
  onLine: (line: string) => void,
): LineSplitter {
  let parts: Buffer[] = [];
  let size = 0;
  let broken = false;

  const take = (part: Buffer): boolean => {
    size += part.length;
    broken = size > max_bytes;
    if (broken) parts = [];
    else parts.push(part);
    return !broken;
  };

  return {
    push(chunk) {
      if (broken) return false;
      let from = 0;
      for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
        if (!take(chunk.subarray(from, at))) return false;
        const line = Buffer.concat(parts).toString().replace(/\r$/, '');
        parts = [];
        size = 0;
        from = at + 1;
        if (line !== '') onLine(line);
      }
      return take(chunk.subarray(from));
    },
  };
}
