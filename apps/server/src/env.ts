import { readFileSync } from 'node:fs';
import { loadConfig, type Settings } from '@loom/shared/load-config';

/** The one place of the server that reads the environment. */
export function readSettings(flags: Record<string, unknown>): Settings {
  return loadConfig({ env: process.env, flags, readFile });
}

/** The value of a variable that the configuration names, such as a provider's key. */
export function readSecret(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** Where the operator's programs are looked for. */
export function readSearchPath(): string | null {
  return process.env.PATH || null;
}

function readFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
