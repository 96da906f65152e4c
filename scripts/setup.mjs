// Brings a clone into a state in which it runs: packages installed, programs built.
// Uses nothing but Node, since nothing else may be there yet. Speaks on stderr only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const builtStamp = join(root, '.turbo', 'loom-built');
const lock = join(root, '.turbo', 'loom-setup.lock');

/** Installs the packages of package-lock.json unless they are there. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  await withLock(lock, async () => {
    if (isInstalled()) return;
    progress('Installing packages (npm ci) …');
    const begin = Date.now();
    // `--include=dev`: with NODE_ENV=production npm would leave out what builds the programs.
    const options = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    if (!runNpm(['ci', ...options])) {
      // A registry without every platform's optional packages makes `npm ci` refuse a good lock.
      progress('Trying again with npm install …');
      if (!runNpm(['install', ...options])) fail('Installing the packages failed.');
    }
    progress(`Installed in ${seconds(begin)} s.`);
  });
}

/** Builds server, CLI and console unless nothing has changed since the last build. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  await withLock(lock, async () => {
    if (isBuilt()) return;
    progress('Building …');
    const begin = Date.now();
    const sources = sourcesHash();
    const turbo = join(root, 'node_modules', 'turbo', 'bin', 'turbo');
    const built =
      run(process.execPath, ['scripts/generate-prisma.mjs']) &&
      run(process.execPath, [turbo, 'run', 'build', '--output-logs=errors-only']);
    if (!built) fail('Building failed.');
    writeFileSync(builtStamp, sources);
    progress(`Built in ${seconds(begin)} s.`);
  });
}

/** Both, in order. */
export async function setUp() {
  await ensureInstalled();
  await ensureBuilt();
}

// npm keeps a lock file of what it put into node_modules; packages for other systems are not in it.
function isInstalled() {
  const installedLock = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedLock)) return false;
  const installed = JSON.parse(readFileSync(installedLock, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (!path.includes('node_modules/')) return true;
    if (installed[path] === undefined) return optional === true;
    return installed[path].version === version;
  });
}

const programs = ['apps/server/dist/server.js', 'apps/cli/dist/cli.js', 'apps/web/dist/index.html'];

function isBuilt() {
  if (!programs.every((file) => existsSync(join(root, file)))) return false;
  return existsSync(builtStamp) && readFileSync(builtStamp, 'utf8') === sourcesHash();
}

const sourceRoots = ['packages', 'services', 'apps', 'prisma', 'scripts/bundle.mjs', 'turbo.json'];
const notSources = new Set(['node_modules', 'dist', 'generated', '.turbo']);

// Names, sizes and times: reading some hundred files would cost more than it proves.
function sourcesHash() {
  const lines = [hashOf(readFileSync(join(root, 'package-lock.json')))];
  const visit = (path) => {
    const stats = statSync(join(root, path));
    if (!stats.isDirectory()) {
      if (!path.endsWith('.test.ts')) lines.push(`${path} ${stats.size} ${stats.mtimeMs}`);
      return;
    }
    for (const name of readdirSync(join(root, path)).sort()) {
      if (!notSources.has(name)) visit(join(path, name));
    }
  };
  for (const path of sourceRoots) visit(path);
  return hashOf(lines.join('\n'));
}

function hashOf(data) {
  return createHash('sha256').update(data).digest('hex');
}

function runNpm(args) {
  const npm = process.env.npm_execpath;
  return npm?.endsWith('.js') ? run(process.execPath, [npm, ...args]) : run('npm', args);
}

// What the tools print goes to stderr: stdout belongs to the program that follows.
function run(command, args) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
  });
  if (result.error) progress(result.error.message);
  return result.status === 0;
}

function fail(line) {
  progress(line);
  process.exit(1);
}

function progress(line) {
  process.stderr.write(`${line}\n`);
}

function seconds(begin) {
  return ((Date.now() - begin) / 1000).toFixed(1);
}
