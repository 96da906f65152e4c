import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const temporaryBytes = 512 * 1024 * 1024;
const sharedMemoryBytes = 64 * 1024 * 1024;

const systemDirectories = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

// Never /etc itself nor /etc/ssl: keys lie there, and this process may be root.
const configuration = [
  'alternatives',
  'ca-certificates',
  'group',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'pki/ca-trust/extracted',
  'pki/tls/certs',
  'resolv.conf',
  'ssl/certs',
  'ssl/openssl.cnf',
];

/** Makes this process's own Node and npm visible when they lie outside the system directories. */
function nodeArguments(execPath: string): string[] {
  const prefix = dirname(dirname(execPath));
  const npm = join(prefix, 'lib/node_modules/npm');
  if (execPath.startsWith('/usr/')) return [];
  const node = ['--ro-bind', execPath, execPath];
  if (!existsSync(npm)) return node;
  const link = (name: string) => [
    '--symlink',
    `../lib/node_modules/npm/bin/${name}-cli.js`,
    join(prefix, 'bin', name),
  ];
  return [...node, '--ro-bind', npm, npm, ...link('npm'), ...link('npx')];
}

/** A file that lies only in the sandbox, over what else is at its place. */
export interface PlacedFile {
  /** Absolute. */
  path: string;
  content: string;
  executable?: boolean;
}

const statusDescriptor = '3';
const firstFileDescriptor = 4;

function fileArguments({ path, executable }: PlacedFile, index: number): string[] {
  const permissions = executable ? '0555' : '0444';
  return ['--perms', permissions, '--ro-bind-data', `${firstFileDescriptor + index}`, path];
}

/** Lays an empty directory that cannot be written to over one of the workspace. */
function coverArguments(workspace: string, hidden: string): string[] {
  const names = hidden.split(sep);
  const above = names.slice(0, -1).map((_, end) => join(workspace, ...names.slice(0, end + 1)));
  const place = join(workspace, hidden);
  return [
    // A mount cannot be renamed: moved away, what is hidden would lie open to the next command.
    ...above.flatMap((path) => ['--bind', path, path]),
    ...['--tmpfs', place, '--remount-ro', place],
  ];
}

/**
 * The arguments that put a program into a world of its own: the workspace to write
 * to, the system's programs and the read roots to read, and nothing else of this machine. What is `hidden`,
 * relative to the workspace, appears empty. The sandbox tells of itself on descriptor 3 and
 * reads its placed files from those that follow.
 */
export function bubblewrapArguments(world: {
  workspace: string;
  hidden: readonly string[];
  /** Directories beside the workspace that may be read. */
  read_roots?: readonly string[];
  files?: readonly PlacedFile[];
  network: boolean;
  env: Record<string, string>;
}): string[] {
  const readOnly = [...systemDirectories, ...configuration.map((name) => `/etc/${name}`)];
  return [
    '--unshare-all',
    ...(world.network ? ['--share-net'] : []),
    '--unshare-user',
    '--disable-userns',
    '--die-with-parent',
    ...['--json-status-fd', statusDescriptor],
    '--new-session',
    '--cap-drop',
    'ALL',
    '--hostname',
    'loom',
    ...readOnly.flatMap((path) => ['--ro-bind-try', path, path]),
    // Read-only: where this process is root, the kernel's settings would be writable.
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--dev', '/dev', '--size', `${sharedMemoryBytes}`, '--tmpfs', '/dev/shm'],
    ...['--remount-ro', '/dev'],
    ...['--size', `${temporaryBytes}`, '--tmpfs', '/tmp'],
    ...nodeArguments(process.execPath),
    // Before the workspace, which may lie in one of them and can still be written then.
    ...(world.read_roots ?? []).flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', world.workspace, world.workspace],
    ...world.hidden.flatMap((path) => coverArguments(world.workspace, path)),
    ...(world.files ?? []).flatMap(fileArguments),
    ...['--remount-ro', '/'],
    ...['--chdir', world.workspace],
    '--clearenv',
    ...Object.entries(world.env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--',
  ];
}
