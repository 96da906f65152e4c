/** The environment of this process; nothing else in the command line reads it. */
export function readEnv(): Record<string, string | undefined> {
  return { ...process.env };
}
