import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { AppError } from '@loom/shared/app-error';
import type { McpServerConfig } from '@loom/shared/mcp-config';
import { hiddenInside } from '../confined/hidden-inside.ts';
import { bubblewrapArguments } from '../sandbox/bubblewrap-arguments.ts';
import { commandEnvironment } from '../sandbox/command-environment.ts';
import { type CommandLimits, defaultCommandLimits } from '../sandbox/command-limits.ts';
import type { ShellOptions } from '../sandbox/shell-options.ts';
import type { ServerProgram } from './process-transport.ts';
import { programPlaces } from './program-places.ts';

interface Place {
  path: string;
  real: string;
  writable: boolean;
}

/** A shell that limits itself and then becomes the program; each process has these limits. */
function limited(argv: readonly string[], { max_memory_mb, max_processes }: CommandLimits) {
  const script = [
    'limit() { ulimit "$@" 2>/dev/null || :; }',
    'limit -c 0',
    `limit -d ${max_memory_mb * 1_024}`,
    // bash says -u, dash says -p; the wrong one fails and changes nothing that matters.
    `ulimit -u ${max_processes} 2>/dev/null || limit -p ${max_processes}`,
    'exec "$@"',
  ].join('\n');
  return ['/bin/sh', '-c', script, 'sh', ...argv];
}

async function toPlace(path: string, writable: boolean): Promise<Place> {
  const real = await realpath(path).catch(() => null);
  if (real === null) throw new AppError('unavailable', `the directory ${path} does not exist`);
  if (real === '/') throw new AppError('unavailable', 'the root directory cannot be given away');
  return { path, real, writable };
}

async function placeArguments(place: Place, hiddenPaths: readonly string[]): Promise<string[]> {
  const { path, real, writable } = place;
  const bind = writable ? '--bind' : '--ro-bind';
  const hidden = await hiddenInside(real, hiddenPaths);
  return [...new Set([path, real])].flatMap((at) => [
    ...[bind, real, at],
    ...hidden.flatMap((way) => {
      const names = way.split(sep);
      const above = names.slice(0, -1).map((_, end) => names.slice(0, end + 1));
      return [
        // A mount cannot be renamed: moved away, what is hidden would lie open.
        ...above.flatMap((parts) => [bind, join(real, ...parts), join(at, ...parts)]),
        ...['--tmpfs', join(at, way), '--remount-ro', join(at, way)],
      ];
    }),
  ]);
}

async function sandboxArguments(config: McpServerConfig, hiddenPaths: readonly string[]) {
  const { command = '', args, network } = config;
  const readable = [...config.read_directories, ...programPlaces(command, args)];
  const places = [
    ...(await Promise.all(readable.map((path) => toPlace(path, false)))),
    ...(await Promise.all(config.directories.map((path) => toPlace(path, true)))),
  ];
  // What lies in another place is laid over it.
  places.sort((a, b) => a.path.length - b.path.length);
  const binds = await Promise.all(places.map((place) => placeArguments(place, hiddenPaths)));
  const start = config.directories[0] ?? '/usr';
  const world = bubblewrapArguments({ workspace: start, hidden: [], network, env: {} });
  const sealed = world.findIndex((arg, at) => arg === '--remount-ro' && world[at + 1] === '/');
  const startAgain = config.directories.length > 0 ? [] : ['--ro-bind', start, start];
  return [
    ...world.slice(0, sealed),
    ...startAgain,
    ...binds.flat(),
    // The environment is clean already, and secrets are not to be seen in a list of processes.
    ...world.slice(sealed).filter((arg) => arg !== '--clearenv'),
  ];
}

/**
 * How the program of a server is started: confined to the directories that it was given, with an
 * environment of nothing but its own variables. Refuses where there is no sandbox, unless the
 * operator allows programs without one.
 */
export async function serverProgram(
  config: McpServerConfig,
  options: { shell: ShellOptions; env: Record<string, string> },
): Promise<ServerProgram> {
  const { sandbox, allow_unsandboxed, hidden_paths } = options.shell;
  const { LOOM_CALL_KEY: _, ...base } = commandEnvironment('');
  const env = { ...base, ...options.env };
  const program = [config.command ?? '', ...config.args];
  if (!sandbox.works) {
    if (!allow_unsandboxed) {
      const reason = sandbox.reason ?? 'the sandbox does not work on this machine';
      throw new AppError('unavailable', `programs run only in a sandbox, and ${reason}`);
    }
    const [file = '', ...args] = program;
    const run = randomUUID();
    const marked = { ...env, LOOM_RUN: run };
    const cwd = config.directories[0] ?? '/';
    return { file, args, cwd, env: marked, mark: `LOOM_RUN=${run}`, limits: null };
  }
  const limits = options.shell.limits ?? defaultCommandLimits;
  const args = [...(await sandboxArguments(config, hidden_paths)), ...limited(program, limits)];
  return { file: sandbox.program ?? 'bwrap', args, cwd: '/', env, mark: null, limits };
}
