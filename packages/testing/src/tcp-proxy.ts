import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onFileEnd } from './file-end.ts';

/** A connection to something that a test can disturb. Nothing in it is random. */
export interface TcpProxy {
  host: string;
  port: number;
  /** The given URL with the proxy's address in it. */
  through(url: string): string;
  /** Delays every piece of data, both ways; 0 ends it. */
  setLatency(ms: number): void;
  /** Swallows all data, both ways, of old and new connections, while they stay open. */
  setBlackHole(isOn: boolean): void;
  /** Refuses new connections at once. */
  setRefusing(isOn: boolean): void;
  /** Resets every open connection and returns how many there were. */
  cutAll(): number;
  /** Resets the next connection after it carried so many bytes from the target. */
  cutNextAfter(bytes: number): void;
  close(): Promise<void>;
}

/** Puts a proxy before a TCP service; it closes by itself at the end of the test file. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<() => void>();
  let latencyMs = 0;
  let isBlackHole = false;
  let isRefusing = false;
  let nextCut: number | null = null;

  const server = createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target.port, target.host);
    let bytesLeft = nextCut ?? Number.POSITIVE_INFINITY;
    nextCut = null;
    const cut = () => {
      pairs.delete(cut);
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    };
    pairs.add(cut);

    const forward = (from: Socket, to: Socket, allow: (data: Buffer) => Buffer) => {
      from.on('data', (data) => {
        if (isBlackHole) return;
        const allowed = allow(data);
        const pass = () => {
          if (!to.destroyed && allowed.length > 0) to.write(allowed);
          if (bytesLeft === 0) to.end(cut);
        };
        if (latencyMs > 0) setTimeout(pass, latencyMs);
        else pass();
      });
      from.on('end', () => {
        if (!isBlackHole) setTimeout(() => to.end(), latencyMs);
      });
      from.on('error', cut);
      from.on('close', () => {
        if (from.errored) cut();
        pairs.delete(cut);
      });
    };
    forward(client, upstream, (data) => data);
    forward(upstream, client, (data) => {
      const allowed = data.subarray(0, Math.min(data.length, bytesLeft));
      bytesLeft -= allowed.length;
      return allowed;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const cutAll = () => {
    const open = [...pairs];
    for (const cut of open) cut();
    return open.length;
  };
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    cutAll();
    await closed;
  };
  onFileEnd(close);

  return {
    host: '127.0.0.1',
    port,
    through(url) {
      const changed = new URL(url);
      changed.hostname = '127.0.0.1';
      changed.port = String(port);
      return changed.href;
    },
    setLatency(ms) {
      latencyMs = ms;
    },
    setBlackHole(isOn) {
      isBlackHole = isOn;
    },
    setRefusing(isOn) {
      isRefusing = isOn;
    },
    cutAll,
    cutNextAfter(bytes) {
      nextCut = bytes;
    },
    close,
  };
}
