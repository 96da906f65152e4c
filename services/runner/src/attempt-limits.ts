import { AppError } from '@loom/shared/app-error';
import type { ChatMessage } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';

type RunnerLimits = Pick<
  Config['limits']['runner'],
  'max_tool_iterations' | 'max_subtask_wall_clock_seconds'
>;

interface AttemptTime {
  started_at: Date;
  /** Time without a worker: it is not the attempt's. */
  parked_seconds: number;
}

/** The limit that an attempt has reached, or null: model calls and time are counted per attempt, whoever runs it. */
export function reachedLimit(
  { journal, ...time }: AttemptTime & { journal: readonly ChatMessage[] },
  limits: RunnerLimits,
  now: Date,
): AppError | null {
  const { max_tool_iterations } = limits;
  const iterations = journal.filter(({ role }) => role === 'assistant').length;
  if (iterations >= max_tool_iterations) {
    return new AppError(
      'iterations_exhausted',
      `The attempt used all of its ${max_tool_iterations} model calls without finishing.`,
    );
  }
  return secondsLeft(time, limits, now) < 0 ? timeExhausted(limits) : null;
}

/** The time that an attempt still has. */
export function secondsLeft(
  { started_at, parked_seconds }: AttemptTime,
  { max_subtask_wall_clock_seconds }: RunnerLimits,
  now: Date,
): number {
  const seconds = (now.getTime() - started_at.getTime()) / 1_000 - parked_seconds;
  return max_subtask_wall_clock_seconds - seconds;
}

/** That an attempt's time is over. */
export function timeExhausted({ max_subtask_wall_clock_seconds }: RunnerLimits): AppError {
  return new AppError(
    'time_exhausted',
    `The attempt took longer than ${max_subtask_wall_clock_seconds} seconds.`,
  );
}

/** The longest time a timer of Node can wait; a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** Ends what an attempt is waiting for when its time is over. */
export function deadlineSignal(seconds: number): AbortSignal {
  return AbortSignal.timeout(Math.ceil(Math.min(longestTimer, Math.max(0, seconds * 1_000))));
}
