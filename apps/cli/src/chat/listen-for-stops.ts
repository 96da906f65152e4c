import type { EventEmitter } from 'node:events';
import { CommandFailure } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ChatSession } from './chat-session.ts';
import { deferred } from './deferred.ts';

const terminations = ['SIGTERM', 'SIGHUP'] as const;

/** Rejects `left` when the conversation is to be left. */
interface Stops {
  left: Promise<never>;
  release(): void;
}

/** Ctrl-C stops the turn at work; a second one before the turn has ended, or without a turn, leaves. */
export function listenForStops(signals: EventEmitter, session: ChatSession): Stops {
  const left = deferred<never>();
  let stopping: string | null = null;
  const leave = () =>
    left.reject(new CommandFailure('Interrupted.', { exit_code: exitCodes.interrupted }));
  const onInterrupt = () => {
    const turn = session.board.busy() ?? '';
    if (!session.isBusy() || turn === stopping) return leave();
    stopping = turn;
    session.code = exitCodes.interrupted;
    session.terminal.note('stopping the turn; Ctrl-C again leaves');
    session.stop().catch((error) => {
      if (error instanceof CommandFailure) session.complain(error);
      else left.reject(error);
    });
  };
  signals.on('SIGINT', onInterrupt);
  for (const signal of terminations) signals.on(signal, leave);
  return {
    left: left.promise,
    release() {
      signals.off('SIGINT', onInterrupt);
      for (const signal of terminations) signals.off(signal, leave);
    },
  };
}
