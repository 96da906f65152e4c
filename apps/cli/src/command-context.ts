import type { EventEmitter } from 'node:events';
import type { Command } from 'commander';
import { type ApiClient, createApiClient } from './api-client.ts';
import { resolveConnection } from './connection.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/** What a process gives the command line. */
export interface CliIo {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  /** Where SIGINT and its like are heard. */
  signals: EventEmitter;
}

/** What every command gets: its terminal, the gateway, and a way to say how it ended. */
export interface CommandContext {
  io: CliIo;
  terminal(): Terminal;
  client(): ApiClient;
  /** Runs a command's work and keeps its exit code; null leaves the process to a server. */
  run(work: () => Promise<ExitCode | null>): Promise<void>;
  exit_code: ExitCode | null;
}

interface GlobalOptions {
  url?: string;
  key?: string;
  json?: boolean;
}

/** Options of the program count wherever they stand on the line. */
export function createCommandContext(program: Command, io: CliIo): CommandContext {
  const context: CommandContext = {
    io,
    exit_code: exitCodes.ok,
    terminal() {
      const { json = false } = program.opts<GlobalOptions>();
      return createTerminal({ stdout: io.stdout, stderr: io.stderr, env: io.env, json });
    },
    client: () => createApiClient(resolveConnection(program.opts<GlobalOptions>(), io.env)),
    async run(work) {
      context.exit_code = await work();
    },
  };
  return context;
}
