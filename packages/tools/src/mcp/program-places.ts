import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';

const interpreters = /^(?:node|nodejs|bun|deno|python[\d.]*|ruby|perl|bash|sh)$/;

function ancestors(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...ancestors(above)];
}

/** The file that a command line runs, when it is given by its path. */
function programFile(command: string, args: readonly string[]): string | null {
  const script = interpreters.test(basename(command))
    ? args.find((arg) => !arg.startsWith('-'))
    : undefined;
  const file = script ?? command;
  return isAbsolute(file) && existsSync(file) ? file : null;
}

/**
 * What a program must read to run: its own directory, or all packages around it when it is one of
 * them, and what Node looks for further up. Programs found by name lie in the system's directories.
 */
export function programPlaces(command: string, args: readonly string[]): string[] {
  const file = programFile(command, args);
  const holders = isAbsolute(command) && existsSync(command) ? [dirname(command)] : [];
  if (file === null) return holders;
  const real = realpathSync(file);
  const packages = real.split(sep).indexOf('node_modules');
  const around =
    packages === -1
      ? dirname(real)
      : real
          .split(sep)
          .slice(0, packages + 1)
          .join(sep);
  const above = ancestors(real);
  const manifest = above.map((path) => join(path, 'package.json')).find(existsSync);
  const modules = above.map((path) => join(path, 'node_modules')).filter(existsSync);
  const places = [...holders, dirname(file), around, ...(manifest ? [manifest] : []), ...modules];
  return [...new Set(places)].filter((path) => path !== '/');
}
