import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { AppError, errorMessage } from '@loom/shared/app-error';
import { loadConfig } from '@loom/shared/load-config';
import { type Check, fail, ok, warn } from './check.ts';

type Env = Record<string, string | undefined>;

const execute = promisify(execFile);
const probeTimeoutMs = 10_000;

/** What can be told without a gateway. */
export async function checkMachine(env: Env): Promise<Check[]> {
  return [
    checkNode(process.versions.node),
    checkConfig(env),
    checkDataDir(env),
    await checkSandbox(),
    await checkRipgrep(),
  ];
}

/** Whether Node is at least the version the packages are made for. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? ok('node', version)
    : fail('node', `${version} is too old`, 'install Node 20.19 or newer');
}

function checkConfig(env: Env): Check {
  const readFile = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
  try {
    loadConfig({ env, readFile });
    return ok('config', 'valid');
  } catch (error) {
    const problems = error instanceof AppError ? error.details.problems : null;
    const detail = Array.isArray(problems) ? problems.join('; ') : errorMessage(error);
    return fail('config', detail, 'correct loom.toml or the environment');
  }
}

function checkDataDir(env: Env): Check {
  const dir = resolve(env.LOOM_DATA_DIR || '.loom');
  let existing = dir;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return ok('data dir', `${dir} is writable`);
  } catch {
    return fail('data dir', `${existing} is not writable`, 'set LOOM_DATA_DIR to one that is');
  }
}

async function checkSandbox(): Promise<Check> {
  const args = [
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--unshare-all',
    '--die-with-parent',
    'true',
  ];
  const fix = 'install bubblewrap and allow user namespaces; until then shell_execute is off';
  try {
    await execute('bwrap', args, { timeout: probeTimeoutMs });
    return ok('sandbox', 'bubblewrap runs');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const detail = isMissing ? 'bubblewrap is not installed' : 'bubblewrap cannot run here';
    return warn('sandbox', detail, fix);
  }
}

async function checkRipgrep(): Promise<Check> {
  const binary = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`;
  try {
    const path = createRequire(import.meta.url).resolve(binary);
    const { stdout } = await execute(path, ['--version'], { timeout: probeTimeoutMs });
    return ok('ripgrep', stdout.split('\n', 1)[0] ?? 'runs');
  } catch {
    return fail('ripgrep', 'not found or does not run', 'run "npm install" in the repository');
  }
}
