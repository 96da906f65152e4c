type CleanUp = () => Promise<void> | void;

const cleanUps: CleanUp[] = [];

/** Keeps something to be done when the current test file is over; later ones run first. */
export function onFileEnd(cleanUp: CleanUp): void {
  cleanUps.push(cleanUp);
}

/** Runs and forgets everything kept, and returns what went wrong instead of stopping at it. */
export async function runFileEnd(): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (let next = cleanUps.pop(); next !== undefined; next = cleanUps.pop()) {
    try {
      await next();
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}
