import type { FileBefore } from '@loom/shared/tool';
import type { Database } from '../database.ts';
import { type ChangingCall, openChanges } from './open-changes.ts';

/**
 * Writes down how files were, before a call changes them. A call that runs again after a crash
 * finds its files changed already: what it said first stands.
 */
export async function keepBefore(
  db: Database,
  call: ChangingCall,
  files: readonly FileBefore[],
): Promise<void> {
  await openChanges(db.pool, call, files);
}
