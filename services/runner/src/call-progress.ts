import { toStorableText } from '@loom/shared/text';

/** A quick call shows nothing but its end. */
const firstMs = 1_000;
/** The longer a call runs, the rarer it is heard of: ten minutes make about seventy events. */
const longestMs = 10_000;
/** What is shown of the newest output. */
const maxChars = 2_000;

export interface Progress {
  add(text: string): void;
  /** Says nothing more. Awaited before the call's end is written down. */
  end(): Promise<void>;
}

/** Collects what a call prints and tells of it now and then, one telling at a time. */
export function createProgress(tell: (text: string) => Promise<void>): Progress {
  let unsaid = '';
  let wait = firstMs;
  let timer: NodeJS.Timeout | null = null;
  let telling: Promise<void> | null = null;
  let ended = false;

  const schedule = (): void => {
    if (ended || timer !== null || telling !== null || unsaid === '') return;
    timer = setTimeout(sayNow, wait);
  };
  const sayNow = (): void => {
    timer = null;
    const text = toStorableText(unsaid);
    unsaid = '';
    wait = Math.min(wait * 2, longestMs);
    telling = tell(text).then(() => {
      telling = null;
      schedule();
    });
    // Whoever awaits the end hears of it.
    telling.catch(() => undefined);
  };

  return {
    add(text) {
      unsaid = (unsaid + text).slice(-maxChars);
      schedule();
    },
    async end() {
      ended = true;
      if (timer !== null) clearTimeout(timer);
      await telling;
    },
  };
}
