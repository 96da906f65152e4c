import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailure } from './command-failure.ts';
import { exitCodes } from './exit-codes.ts';

export interface Connection {
  /** Without a trailing slash. */
  base_url: string;
  key: string | null;
}

/** Which gateway to speak to and as whom: option, then variable, then this machine's own key. */
export function resolveConnection(
  options: { url?: string; key?: string },
  env: Record<string, string | undefined>,
): Connection {
  const url = options.url ?? (env.LOOM_URL || 'http://127.0.0.1:7420');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const source = options.url === undefined ? 'LOOM_URL' : '--url';
    throw new CommandFailure(`${source}: must be a URL that begins with http:// or https://`, {
      exit_code: exitCodes.usage,
    });
  }
  const key = options.key ?? (env.LOOM_API_KEY || env.LOOM_ADMIN_KEY || readMintedKey(env));
  return { base_url: url.replace(/\/+$/, ''), key };
}

function readMintedKey(env: Record<string, string | undefined>): string | null {
  try {
    const path = join(env.LOOM_DATA_DIR || '.loom', 'admin.key');
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}
