import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The parts of a full test run that npm cannot install, and what stays untested without each. */
export const components = [
  {
    name: 'redis',
    isThere: () => Boolean(process.env.REDIS_URL) || findProgram('redis-server') !== null,
    wanted: 'redis-server on the PATH, or REDIS_URL',
    projects: ['integration-redis', 'e2e-redis'],
  },
  {
    name: 'chromium',
    isThere: () => findChromium() !== null,
    wanted: 'Chromium or Chrome on the PATH',
    projects: ['browser'],
  },
];

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  return names.map(findProgram).find((path) => path !== null) ?? null;
}

function findProgram(name) {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(directory, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not in this directory.
    }
  }
  return null;
}
