/** Collects a stream's beginning and end in bounded memory. */
interface BoundedCapture {
  push(chunk: Buffer): void;
  text(): string;
}

/** A capture that keeps about `max_bytes`: half from the beginning, half from the end. */
export function createBoundedCapture(max_bytes: number): BoundedCapture {
  const half = Math.floor(max_bytes / 2);
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let cutBytes = 0;

  const trimTail = () => {
    const all = Buffer.concat(tail);
    const kept = all.subarray(Math.max(0, all.length - half));
    cutBytes += all.length - kept.length;
    // A copy, so that the large buffer behind the view can be freed.
    tail = [Buffer.from(kept)];
    tailBytes = kept.length;
  };

  return {
    push(chunk) {
      const forHead = chunk.subarray(0, half - headBytes);
      if (forHead.length > 0) {
        head.push(forHead);
        headBytes += forHead.length;
      }
      const rest = chunk.subarray(forHead.length);
      if (rest.length === 0) return;
      tail.push(rest);
      tailBytes += rest.length;
      if (tailBytes > 2 * half) trimTail();
    },
    text() {
      if (tailBytes > half) trimTail();
      if (cutBytes === 0) return Buffer.concat([...head, ...tail]).toString();
      const first = Buffer.concat(head).toString();
      const last = Buffer.concat(tail).toString();
      // The cut may go through a character; its halves are not shown.
      const marker = `\n[… ${cutBytes} bytes of output cut …]\n`;
      return first.replace(/\ufffd$/, '') + marker + last.replace(/^\ufffd{1,3}/, '');
    },
  };
}
