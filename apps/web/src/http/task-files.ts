import type { Page } from './gateway.ts';
import { postOnce } from './post-once.ts';
import { request } from './request.ts';

/** One file that a task changed. */
export interface ChangedFile {
  path: string;
  status: 'created' | 'modified' | 'deleted' | 'unchanged';
  revertible: boolean;
  /** Why it cannot be put back. */
  reason: string | null;
}

interface FileDiff {
  path: string;
  status: ChangedFile['status'];
  diff: string;
}

interface Reverted {
  revert_id: string;
  reverted: { path: string; action: 'restored' | 'removed' | 'recreated' }[];
  unchanged: string[];
}

export const listTaskFiles = (taskId: string, signal: AbortSignal) =>
  request<Page<ChangedFile>>('GET', `/api/tasks/${taskId}/files?limit=200`, { signal });

/** The change of one file; null when it is as it was before the task. */
export async function fetchDiff(
  taskId: string,
  path: string,
  signal: AbortSignal,
): Promise<FileDiff | null> {
  const address = `/api/tasks/${taskId}/diff?path=${encodeURIComponent(path)}`;
  const { items } = await request<{ items: FileDiff[] }>('GET', address, { signal });
  return items[0] ?? null;
}

export const revertFiles = (taskId: string, path?: string) =>
  postOnce<Reverted>(`/api/tasks/${taskId}/revert`, path === undefined ? {} : { path });
