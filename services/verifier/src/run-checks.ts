import type { CheckResult } from '@loom/shared/verdict';
import { checkNotEmpty, findChangedFiles } from './checks/changed-files.ts';
import { type CommandRunner, checkCommands } from './checks/commands.ts';
import { checkDeliverables } from './checks/deliverables.ts';
import type { SeenFile } from './checks/look-at.ts';
import { checkSyntax } from './checks/syntax.ts';
import { checkToolSuccess } from './checks/tool-success.ts';
import type { VerificationSubject } from './checks/verification-subject.ts';

/** Tier 1: every deterministic check, and the files that a reader of the result should see. */
export async function runChecks(
  subject: VerificationSubject,
  runner: CommandRunner,
): Promise<{ checks: CheckResult[]; files: SeenFile[] }> {
  const found = await checkDeliverables(subject);
  // Most changed files are the deliverables, which were opened already.
  const known = new Set(found.files.map(({ path }) => path));
  const changed = subject.files_changed.filter((path) => !known.has(path));
  const files = uniqueFiles([
    ...found.files,
    ...(await findChangedFiles(changed, subject.workspace)),
  ]);
  const checks = [
    ...found.checks,
    ...files.map(checkNotEmpty),
    ...files.flatMap(checkSyntax),
    ...(await checkCommands(subject, runner)),
  ];
  const deliverablesPass =
    subject.spec.deliverables.length > 0 &&
    checks.every(({ passed, advisory }) => passed || advisory);
  return {
    checks: [...checkToolSuccess(subject.calls, deliverablesPass), ...checks],
    files: uniqueFiles([...files, ...found.inside]),
  };
}

function uniqueFiles(files: SeenFile[]): SeenFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
