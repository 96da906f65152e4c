import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { deserializeMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import type { CommandLimits } from '../sandbox/command-limits.ts';
import { killMarked } from '../sandbox/kill-marked.ts';
import { watchTree } from '../sandbox/watch-tree.ts';
import { mcpLimits } from './limits.ts';
import { createLineSplitter } from './line-splitter.ts';

/** A program and all that it sees of this process. */
export interface ServerProgram {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Stands in its environment where no sandbox holds together what it starts; null where one does. */
  mark: string | null;
  /** What it may use with everything it starts; null where no sandbox tells of its processes. */
  limits: TreeLimits | null;
}

type TreeLimits = Pick<CommandLimits, 'max_memory_mb' | 'max_processes'>;

/** How long a program may take to end by itself once its input has ended. */
const goodbyeMs = 500;
/** How long output is awaited from a process that outlived its group's end. */
const drainMs = 1_000;

/**
 * Speaks MCP with a program over its standard streams. The program is the head of a process group,
 * all of which ends with the connection.
 */
export function processTransport(
  program: ServerProgram,
  onStderr: (chunk: Buffer) => void,
): Transport {
  let child: ChildProcessWithoutNullStreams | null = null;
  let ended: Promise<void> = Promise.resolve();
  let isClosing = false;

  const kill = () => {
    if (child?.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  };
  const fail = (reason: string) => {
    transport.onerror?.(new Error(reason));
    kill();
  };
  const onLine = (line: string) => {
    try {
      transport.onmessage?.(deserializeMessage(line));
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const splitter = createLineSplitter(mcpLimits.message_bytes, onLine);

  const transport: Transport = {
    start: () =>
      new Promise((started, refused) => {
        const { file, args, cwd, env } = program;
        const running = spawn(file, args, {
          cwd,
          env,
          detached: true,
          stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
        }) as ChildProcessWithoutNullStreams;
        child = running;
        const endWatch = watchSandbox(running, program.limits, fail);
        running.once('spawn', started);
        running.once('error', refused);
        running.stderr.on('data', onStderr);
        // A broken pipe says less than the end of the program, which follows.
        running.stdin.on('error', () => undefined);
        running.stdout.on('data', (chunk: Buffer) => {
          if (!isClosing && !splitter.push(chunk))
            fail('the server sent a message that is too long');
        });
        ended = new Promise((resolve) => {
          let drain: NodeJS.Timeout | undefined;
          running.once('exit', () => {
            endWatch();
            kill();
            if (program.mark !== null) killMarked(program.mark);
            drain = setTimeout(() => {
              for (const stream of [running.stdout, running.stderr]) stream.destroy();
            }, drainMs);
          });
          running.once('error', () => resolve());
          running.once('close', () => {
            clearTimeout(drain);
            resolve();
            transport.onclose?.();
          });
        });
      }),
    send: async (message) => {
      if (child === null || !child.stdin.writable) throw new Error('the server has ended');
      if (child.stdin.writableLength > mcpLimits.unread_bytes) {
        fail('the server does not read what it is told');
        throw new Error('the server does not read what it is told');
      }
      child.stdin.write(serializeMessage(message));
    },
    close: async () => {
      isClosing = true;
      child?.stdin.end();
      const last = setTimeout(kill, goodbyeMs);
      await ended;
      clearTimeout(last);
    },
  };
  return transport;
}

/** Ends a program whose processes use too much together; gives the function that stops looking. */
function watchSandbox(
  running: ChildProcessWithoutNullStreams,
  limits: TreeLimits | null,
  exceeded: (reason: string) => void,
): () => void {
  let end = () => {};
  const status = running.stdio[3] as Readable;
  status.on('data', (chunk: Buffer) => {
    const init = /"child-pid": (\d+)/.exec(chunk.toString())?.[1];
    if (init === undefined || limits === null || running.exitCode !== null) return;
    end = watchTree(Number(init), limits, exceeded);
  });
  return () => {
    end();
    status.destroy();
  };
}
