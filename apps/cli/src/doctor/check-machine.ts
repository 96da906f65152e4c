import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { AppError, errorMessage } from '@loom/shared/app-error';
import { type Config, configSchema } from '@loom/shared/config';
import { loadConfig } from '@loom/shared/load-config';
import { type Check, fail, ok, warn } from './check.ts';
import { checkLimits } from './check-limits.ts';
import { checkSandbox } from './check-sandbox.ts';

type Env = Record<string, string | undefined>;

const execute = promisify(execFile);
const probeTimeoutMs = 10_000;

/** What can be told without a gateway. */
export async function checkMachine(env: Env): Promise<Check[]> {
  const { check, config } = checkConfig(env);
  const sandbox = await checkSandbox();
  const machine = { is_sandboxed: sandbox.status === 'ok', is_root: process.getuid?.() === 0 };
  return [
    checkNode(process.versions.node),
    check,
    checkDataDir(env),
    sandbox,
    checkLimits(config ?? configSchema.parse({}), machine),
    await checkGit(),
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

function checkConfig(env: Env): { check: Check; config: Config | null } {
  const readFile = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
  try {
    const { config } = loadConfig({ env, readFile });
    return { check: ok('config', 'valid'), config };
  } catch (error) {
    const problems = error instanceof AppError ? error.details.problems : null;
    const detail = Array.isArray(problems) ? problems.join('; ') : errorMessage(error);
    return { check: fail('config', detail, 'correct loom.toml or the environment'), config: null };
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

async function checkGit(): Promise<Check> {
  try {
    const { stdout } = await execute('git', ['--version'], { timeout: probeTimeoutMs });
    return ok('git', stdout.trim());
  } catch {
    return warn('git', 'not found or does not run', 'install git; until then git_command is off');
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
