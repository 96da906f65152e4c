import { errorMessage } from '@loom/shared/app-error';
import { walkConfined } from '@loom/tools/confined/walk-confined';
import type { FileView } from './change-view.ts';
import { planRevert, type RevertStep } from './plan-revert.ts';
import { revertConflict } from './revert-conflict.ts';
import type { RevertScope } from './revert-scope.ts';

interface Plan {
  steps: RevertStep[];
  unchanged: string[];
}

interface PlanOptions {
  scope: RevertScope;
  workspace: string;
  view: FileView;
  paths: readonly string[];
}

const maxFilesInTheWay = 10_000;

/** What a revert will do; refuses when any of the files must stay. */
export async function planFiles(options: PlanOptions): Promise<Plan> {
  const { scope, view, paths } = options;
  const plan: Plan = { steps: [], unchanged: [] };
  const conflicts: { path: string; message: string }[] = [];
  for (const path of paths) {
    const history = view.histories.get(path) ?? [];
    const disk = view.disk.get(path) ?? { kind: 'none' };
    const verdict = planRevert(scope, { path, history, disk }, view.isKept);
    if (verdict.kind === 'step') plan.steps.push(verdict.step);
    else if (verdict.kind === 'unchanged') plan.unchanged.push(path);
    else conflicts.push({ path, message: verdict.reason });
  }
  conflicts.push(...(await blockedFiles(options, plan.steps)));
  if (conflicts.length > 0) throw revertConflict(conflicts);
  return plan;
}

/** Files in whose place there is a directory that this revert does not empty. */
async function blockedFiles(
  { workspace, view }: PlanOptions,
  steps: readonly RevertStep[],
): Promise<{ path: string; message: string }[]> {
  const removed = new Set(steps.filter(({ target }) => target === null).map(({ path }) => path));
  const blocked: { path: string; message: string }[] = [];
  for (const { path, target } of steps) {
    if (target === null || view.disk.get(path)?.kind !== 'directory') continue;
    const why = await whyInTheWay(workspace, path, removed);
    if (why !== null) blocked.push({ path, message: why });
  }
  return blocked;
}

async function whyInTheWay(
  workspace: string,
  directory: string,
  removed: ReadonlySet<string>,
): Promise<string | null> {
  try {
    const options = { max_files: maxFilesInTheWay, signal: new AbortController().signal };
    const inside = await walkConfined(workspace, directory, options);
    const emptied = inside.length > 0 && inside.every((path) => removed.has(path));
    return emptied ? null : 'a directory is in its place now';
  } catch (error) {
    return errorMessage(error);
  }
}
