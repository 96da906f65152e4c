import { fileURLToPath } from 'node:url';

/** The program of a server that misbehaves on request. */
export const hostileProgram = fileURLToPath(
  new URL('./hostile-server.fixture.mjs', import.meta.url),
);

/** Times that a loaded machine keeps. */
export const patient = { connect_timeout_seconds: 30, call_timeout_seconds: 30 };

/** The configuration of that server; how it lists its tools, and a directory for its state. */
export function hostile(mode: string, ...rest: string[]) {
  return { command: 'node', args: [hostileProgram, mode, ...rest], ...patient };
}
