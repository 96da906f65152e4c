import type { EventEmitter } from 'node:events';
import { CommandFailure } from './command-failure.ts';
import { exitCodes } from './exit-codes.ts';

/** Signals that leave no time to ask: the command cleans up after itself and goes. */
const terminations = ['SIGTERM', 'SIGHUP'] as const;

export interface Interrupts {
  /** Rejects when the user wants to leave at once. */
  left: Promise<never>;
  /** Whether a first Ctrl-C has been heard. */
  heard(): boolean;
  release(): void;
}

/**
 * The first Ctrl-C asks for a stop, the second leaves. `stop` answers whether there was something
 * to be stopped; without it the first one leaves too.
 */
export function listenForInterrupts(
  signals: EventEmitter,
  stop: () => Promise<boolean>,
): Interrupts {
  let heard = false;
  let leave: (reason: CommandFailure) => void = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = reject;
  });
  left.catch(() => {});
  const interrupted = () =>
    new CommandFailure('Interrupted.', { exit_code: exitCodes.interrupted });
  const onSignal = () => {
    if (heard) {
      leave(interrupted());
      return;
    }
    heard = true;
    stop().then(
      (stopping) => {
        if (!stopping) leave(interrupted());
      },
      (error) => leave(error),
    );
  };
  const onTermination = () => leave(interrupted());
  signals.on('SIGINT', onSignal);
  for (const signal of terminations) signals.on(signal, onTermination);
  return {
    left,
    heard: () => heard,
    release() {
      signals.off('SIGINT', onSignal);
      for (const signal of terminations) signals.off(signal, onTermination);
    },
  };
}
