/** Something to wait for that may ring before anybody waits. */
interface Alarm {
  ring(): void;
  /** Resolves at the next ring, at once if it rang since the last wait, or after some time; true when it rang. */
  wait(milliseconds: number): Promise<boolean>;
}

/** Rings are remembered but not counted. */
export function createAlarm(): Alarm {
  let rang = false;
  let release: (() => void) | null = null;
  return {
    ring() {
      rang = true;
      release?.();
    },
    async wait(milliseconds) {
      if (!rang) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          release = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        release = null;
      }
      const didRing = rang;
      rang = false;
      return didRing;
    },
  };
}
