import { dirname } from 'node:path';

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** All that a command sees of the environment; nothing of this process's own leaks into it. */
export function commandEnvironment(call_key: string): Record<string, string> {
  const nodeDirectory = dirname(process.execPath);
  const known = systemPath.split(':').includes(nodeDirectory);
  return {
    PATH: known ? systemPath : `${systemPath}:${nodeDirectory}`,
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    LOOM_CALL_KEY: call_key,
  };
}
