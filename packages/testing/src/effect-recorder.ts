import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onFileEnd } from './file-end.ts';
import { findProgram } from './find-program.ts';

/** One effect as it arrived. */
export interface Effect {
  key: string;
  label: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Counts the effects that test tools really had, by the ledger key of their call. */
export interface EffectRecorder {
  url: string;
  /**
   * A shell command that reports one effect under `$LOOM_CALL_KEY`.
   * It needs the network: configure `execution.shell_network = true`.
   */
  command(label?: string): string;
  /** How often each key was reported. */
  seen(): Map<string, number>;
  /** Everything that was reported, in order of arrival. */
  effects(): Effect[];
  close(): Promise<void>;
}

const route = '/effect/';

/** Starts a recorder; it closes by itself at the end of the test file. */
export async function startEffectRecorder(): Promise<EffectRecorder> {
  const effects: Effect[] = [];

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://recorder');
    if (!pathname.startsWith(route) || pathname === route) {
      response.writeHead(404).end('report an effect at /effect/<key>\n');
      return;
    }
    const key = decodeURIComponent(pathname.slice(route.length));
    effects.push({ key, label: searchParams.get('label') ?? '', at: Date.now() });
    response.end('recorded\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  onFileEnd(close);

  return {
    url,
    command(label = '') {
      const target = `${url}${route}$LOOM_CALL_KEY?label=${encodeURIComponent(label)}`;
      return findProgram('curl') === null
        ? `node -e 'fetch(process.argv[1]).then((r) => process.exit(r.ok ? 0 : 1))' "${target}"`
        : `curl -fsS --globoff --max-time 10 "${target}"`;
    },
    seen() {
      const counts = new Map<string, number>();
      for (const { key } of effects) counts.set(key, (counts.get(key) ?? 0) + 1);
      return counts;
    },
    effects: () => [...effects],
    close,
  };
}
