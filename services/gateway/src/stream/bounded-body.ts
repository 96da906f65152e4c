const highWaterMark = 64 * 1_024;

type CloseReason = 'ended' | 'left' | 'stalled';

/** A response body that is written piece by piece and never holds more than its reader can take. */
export interface BoundedBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly is_closed: boolean;
  readonly when_closed: Promise<CloseReason>;
  /** Waits while the reader is behind; false once the body is closed. */
  write(text: string): Promise<boolean>;
  close(): void;
}

/**
 * The server does not notice a reader that has stopped reading: here one that takes nothing for
 * `write_timeout_ms` is given up.
 */
export function createBoundedBody(options: { write_timeout_ms: number }): BoundedBody {
  const encoder = new TextEncoder();
  let tellClosed: (reason: CloseReason) => void;
  const when_closed = new Promise<CloseReason>((resolve) => {
    tellClosed = resolve;
  });
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let drained: (() => void) | null = null;

  const finish = (reason: CloseReason) => {
    if (controller === null) return;
    const closing = controller;
    controller = null;
    drained?.();
    if (reason === 'ended') closing.close();
    if (reason === 'stalled') closing.error(new Error('the reader does not read'));
    tellClosed(reason);
  };

  const stream = new ReadableStream<Uint8Array>(
    {
      start: (created) => {
        controller = created;
      },
      pull: () => drained?.(),
      cancel: () => finish('left'),
    },
    { highWaterMark, size: (chunk) => chunk?.byteLength ?? 0 },
  );

  const waitForReader = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => finish('stalled'), options.write_timeout_ms);
      drained = () => {
        drained = null;
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    stream,
    get is_closed() {
      return controller === null;
    },
    when_closed,
    async write(text) {
      controller?.enqueue(encoder.encode(text));
      while (controller !== null && (controller.desiredSize ?? 0) <= 0) await waitForReader();
      return controller !== null;
    },
    close: () => finish('ended'),
  };
}
