import { AppError, type ErrorCode, errorMessage } from '@loom/shared/app-error';

const sentences: Record<string, [ErrorCode, string]> = {
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['not_found', 'goes through something that is not a directory'],
  EISDIR: ['tool_failed', 'is a directory'],
  EACCES: ['forbidden', 'may not be accessed with the permissions of this process'],
  EPERM: ['forbidden', 'may not be accessed with the permissions of this process'],
  EROFS: ['forbidden', 'is on a read-only file system'],
  ENXIO: ['forbidden', 'is not a regular file'],
  ENAMETOOLONG: ['invalid_request', 'has a name that is too long'],
  ENOSPC: ['tool_failed', 'could not be written: the disk is full'],
  EDQUOT: ['tool_failed', 'could not be written: the disk quota is used up'],
  EXDEV: ['tool_failed', 'lies on another disk than the destination; write a copy there instead'],
  ENOTEMPTY: ['tool_failed', 'is a directory that is not empty'],
};

/** The system's error code, or null for anything else that was thrown. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** A file system error in words about the path that was asked for, never about descriptors. */
export function fileError(error: unknown, path: string): Error {
  if (error instanceof AppError) return error;
  const code = systemCode(error);
  if (code === null) return error instanceof Error ? error : new Error(errorMessage(error));
  const [appCode, words] = sentences[code] ?? ['tool_failed', `could not be used (${code})`];
  return new AppError(appCode, `${path} ${words}`, { cause: error });
}
