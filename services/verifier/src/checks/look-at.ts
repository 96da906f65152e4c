import { createHash } from 'node:crypto';
import { AppError } from '@loom/shared/app-error';
import { toWorkspacePath } from '@loom/tools/confined/confined-path';
import { hashConfined } from '@loom/tools/confined/hash-confined';
import { listConfined } from '@loom/tools/confined/list-confined';
import { readConfined } from '@loom/tools/confined/read-confined';
import { statConfined } from '@loom/tools/confined/stat-confined';

/** Larger files are hashed, but neither parsed nor shown: parsing them would hold up the process. */
const maxContentBytes = 1024 * 1024;
const maxEntries = 1_000;

/** A file as it was when it was looked at. */
export interface SeenFile {
  kind: 'file';
  path: string;
  bytes: number;
  sha256: string;
  /** Null for a file too large to be held. */
  content: Buffer | null;
}

export type Seen =
  | SeenFile
  | { kind: 'directory'; entries: { name: string; is_directory: boolean }[] }
  | { kind: 'missing' }
  /** Something is there that is never opened, like a link. */
  | { kind: 'unusable'; reason: string };

/** What lies at a path of the workspace; a file is opened once, so content and hash agree. */
export async function lookAt(workspace: string, path: string): Promise<Seen> {
  try {
    const content = await readConfined(workspace, path, { max_bytes: maxContentBytes });
    const sha256 = createHash('sha256').update(content).digest('hex');
    const shown = toWorkspacePath(workspace, path);
    return { kind: 'file', path: shown, bytes: content.length, sha256, content };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'not_found') return { kind: 'missing' };
    return lookCloser(workspace, path, error);
  }
}

async function lookCloser(workspace: string, path: string, refusal: AppError): Promise<Seen> {
  const unusable: Seen = { kind: 'unusable', reason: refusal.message };
  try {
    if (refusal.code === 'payload_too_large') {
      const hashed = await hashConfined(workspace, path);
      if (hashed === null) return { kind: 'missing' };
      return { kind: 'file', path: toWorkspacePath(workspace, path), ...hashed, content: null };
    }
    if ((await statConfined(workspace, path))?.kind !== 'directory') return unusable;
    const { entries } = await listConfined(workspace, path, { max_entries: maxEntries });
    return {
      kind: 'directory',
      entries: entries.map(({ name, kind }) => ({ name, is_directory: kind === 'directory' })),
    };
  } catch (error) {
    if (error instanceof AppError) return unusable;
    throw error;
  }
}
