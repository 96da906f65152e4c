import { AppError } from '@loom/shared/app-error';
import { openConfinedDirectory } from '../confined/confined-directory.ts';

/** Refuses a workspace that is not a directory of its own. */
export async function requireCommandWorkspace(workspace: string): Promise<void> {
  if (workspace === '/') {
    throw new AppError(
      'workspace_invalid',
      'the root directory cannot be a workspace for commands',
    );
  }
  const directory = await openConfinedDirectory(workspace, []);
  await directory.close();
}
