import { isAbsolute } from 'node:path';
import { AppError } from '@loom/shared/app-error';

/** The workspace of a call, or a refusal that says what is missing. */
export function requireWorkspace(workspace: string | null): string {
  if (workspace === null) {
    throw new AppError(
      'workspace_invalid',
      'this session has no workspace, so files and commands are out of reach; answer without them, or ask the user to open a session with a workspace',
    );
  }
  if (!isAbsolute(workspace)) {
    throw new AppError('workspace_invalid', `the workspace ${workspace} is not an absolute path`);
  }
  return workspace;
}
