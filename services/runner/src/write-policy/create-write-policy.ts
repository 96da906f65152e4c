import type { PendingCall } from '../pending-calls.ts';
import { relativePath } from './relative-path.ts';
import { variantOf } from './variant-of.ts';

interface WritePolicyFacts {
  /** The attempt repeats or sets right what an earlier one did. */
  repairs: boolean;
  workspace: string | null;
  /** Paths that the subtask promises. */
  deliverables: readonly string[];
  /** Paths that other subtasks promise. */
  others: readonly string[];
  /** Files that earlier attempts changed. */
  files_changed_before: readonly string[];
}

/** Says of a call why it must not write where it wants to, or null. */
export type WritePolicy = (pending: Pick<PendingCall, 'call'>) => string | null;

/**
 * A repair edits the deliverables in place: it makes no second versions beside them, and goes on
 * with none that an earlier attempt made. Any other file is free.
 */
export function createWritePolicy(facts: WritePolicyFacts): WritePolicy {
  if (!facts.repairs || facts.deliverables.length === 0) return () => null;
  const normalise = (path: string) => relativePath(path, facts.workspace);
  const deliverables = facts.deliverables.map(normalise);
  const others = new Set(facts.others.map(normalise));
  const changedBefore = new Set(facts.files_changed_before.map(normalise));
  return ({ call }) => {
    const written = writtenPath(call.name, call.arguments);
    if (written === null) return null;
    const path = normalise(written.path);
    // A file that no attempt has made was there before the task: it is nobody's second version.
    if (others.has(path) || (written.exists && !changedBefore.has(path))) return null;
    const deliverable = variantOf(path, deliverables);
    if (deliverable === null) return null;
    return `Edit the deliverable ${deliverable} in place instead of writing ${path}: a repair makes no second versions.`;
  };
}

/** Where a file tool would leave content, and whether the file must be there already. */
function writtenPath(tool: string, args: unknown): { path: string; exists: boolean } | null {
  if (args === null || typeof args !== 'object') return null;
  const { path, destination, name, arguments: inner } = args as Record<string, unknown>;
  // The call that is run in the end counts, not the tool that runs it.
  if (tool === 'run_tool' && typeof name === 'string' && name !== tool) {
    return writtenPath(name, inner);
  }
  const target = tool === 'move_file' ? destination : path;
  if (typeof target !== 'string') return null;
  if (tool === 'write_file' || tool === 'move_file') return { path: target, exists: false };
  return tool === 'edit_file' ? { path: target, exists: true } : null;
}
