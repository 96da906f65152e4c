import { AppError } from '@loom/shared/app-error';
import { splitConfinedPath } from './confined-path.ts';

/** Whether a name is that of git's own data; some disks do not tell upper case from lower. */
export function isGitName(name: string): boolean {
  return name.toLowerCase() === '.git';
}

/** The refusal of git's own data, the same wherever it is met. */
export function gitRefusal(path: string): AppError {
  return new AppError(
    'forbidden',
    `${path} belongs to git's own data, which file tools do not change; use git_command instead`,
  );
}

/** The path of something that may be changed, as results show it: not the root, nothing of git's. */
export function changeablePath(workspace: string, path: string): string {
  const components = splitConfinedPath(workspace, path);
  if (components.length === 0) {
    throw new AppError(
      'forbidden',
      'the path names the workspace root, which is not changed; name something inside it',
    );
  }
  const shown = components.join('/');
  if (components.some(isGitName)) throw gitRefusal(shown);
  return shown;
}
