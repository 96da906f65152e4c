import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@loom/shared/app-error';
import type { PlacedFile } from '../sandbox/bubblewrap-arguments.ts';
import type { GitCall } from './build-git-arguments.ts';

const programPlaces = ['/usr/bin/git', '/usr/local/bin/git', '/bin/git'];
const ownPrograms = '/run/loom-git';

const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.pager=cat',
  'core.editor=false',
  'core.sshCommand=false',
  'core.quotePath=false',
  'credential.helper=',
  'protocol.allow=never',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'log.showSignature=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'diff.ignoreSubmodules=all',
  'branch.autoSetupMerge=false',
  'color.ui=false',
];

/** Where git is on this machine, or null. */
export function findGit(): string | null {
  return programPlaces.find((path) => existsSync(path)) ?? null;
}

/**
 * The `git` that git itself starts. It does nothing in any other repository: git looks for changes
 * in submodules by running in them, under a configuration of theirs that nobody has looked at.
 */
function innerGit(program: string, directory: string): PlacedFile {
  const content = `#!/bin/sh\n[ "$GIT_DIR" = "$LOOM_GIT_DIR" ] || exit 0\nexec ${program} "$@"\n`;
  return { path: join(directory, 'git'), content, executable: true };
}

/** How git is started so that nothing a repository contains is run. */
export function hardenedGit(
  workspace: string,
  call: GitCall,
  config: string | null,
): { argv: string[]; env: Record<string, string>; files: PlacedFile[] } {
  const program = findGit();
  if (program === null) throw new AppError('unavailable', 'git is not installed on this machine');
  const gitDirectory = join(workspace, '.git');
  return {
    argv: [program, ...settings.flatMap((setting) => ['-c', setting]), ...call.args],
    env: {
      GIT_DIR: gitDirectory,
      LOOM_GIT_DIR: gitDirectory,
      GIT_WORK_TREE: workspace,
      GIT_EXEC_PATH: ownPrograms,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_NO_LAZY_FETCH: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: 'false',
      GIT_SSH_COMMAND: 'false',
      GIT_EDITOR: 'false',
      GIT_SEQUENCE_EDITOR: 'false',
      GIT_MERGE_AUTOEDIT: 'no',
      GIT_PAGER: 'cat',
    },
    files: [
      innerGit(program, ownPrograms),
      ...(config === null ? [] : [{ path: join(gitDirectory, 'config'), content: config }]),
    ],
  };
}
