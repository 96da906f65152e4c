import { randomUUID } from 'node:crypto';

/** A name for a file that is being written and then takes the place of another. */
export function temporaryName(): string {
  return `.loom-${randomUUID()}.tmp`;
}

/** Whether a file is one that is still being written, by whichever process. */
export function isTemporaryName(name: string): boolean {
  return /^\.loom-[0-9a-f-]{36}\.tmp$/.test(name);
}
