import type { CheckResult } from '@loom/shared/verdict';
import { findMatches } from './find-matches.ts';
import { lookAt, type Seen, type SeenFile } from './look-at.ts';
import type { VerificationSubject } from './verification-subject.ts';

/** Files of a directory that are shown as its content. */
const maxInside = 20;

export interface FoundDeliverables {
  checks: CheckResult[];
  /** The files that were declared. */
  files: SeenFile[];
  /** Files directly in declared directories. */
  inside: SeenFile[];
}

/** Each declared deliverable must be there: a file, a directory with entries, or a match of its pattern. */
export async function checkDeliverables({
  spec,
  workspace,
}: Pick<VerificationSubject, 'spec' | 'workspace'>): Promise<FoundDeliverables> {
  const found: FoundDeliverables = { checks: [], files: [], inside: [] };
  for (const target of new Set(spec.deliverables)) {
    const all = workspace === null ? [] : await lookAtAll(workspace, target);
    const present = all.filter(({ seen }) => isPresent(seen));
    for (const { path, seen } of present) {
      if (seen.kind === 'file') found.files.push(seen);
      if (workspace !== null && seen.kind === 'directory') {
        found.inside.push(...(await filesInside(workspace, path, seen.entries)));
      }
    }
    const passed = present.length > 0;
    found.checks.push({
      name: 'deliverable_exists',
      target,
      passed,
      advisory: false,
      detail: passed ? 'exists' : absence(workspace, all[0]?.seen),
    });
  }
  return found;
}

interface Look {
  path: string;
  seen: Seen;
}

async function lookAtAll(workspace: string, target: string): Promise<Look[]> {
  const paths = target.includes('*') ? await findMatches(workspace, target) : [target];
  return Promise.all(paths.map(async (path) => ({ path, seen: await lookAt(workspace, path) })));
}

function isPresent(seen: Seen): boolean {
  return seen.kind === 'file' || (seen.kind === 'directory' && seen.entries.length > 0);
}

async function filesInside(
  workspace: string,
  directory: string,
  entries: { name: string; is_directory: boolean }[],
): Promise<SeenFile[]> {
  const names = entries.filter(({ is_directory }) => !is_directory).slice(0, maxInside);
  const all = await Promise.all(names.map(({ name }) => lookAt(workspace, `${directory}/${name}`)));
  return all.filter((seen) => seen.kind === 'file');
}

function absence(workspace: string | null, seen: Seen | undefined): string {
  if (workspace === null) return 'is missing: the task has no workspace in which it could lie';
  if (seen?.kind === 'directory') return 'is an empty directory: put the declared files into it';
  if (seen?.kind === 'unusable') return `cannot be accepted: ${seen.reason}`;
  return 'is missing: create it at exactly this path in the workspace';
}
