import { loadArtifact } from '@loom/db/artifacts/load-artifact';
import { storeArtifact } from '@loom/db/artifacts/store-artifact';
import type { Database } from '@loom/db/database';
import { keepBefore } from '@loom/db/file-changes/keep-before';
import { faultPoint } from '@loom/shared/fault-point';
import type { ToolContext, ToolKeep } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import type { PendingCall } from './pending-calls.ts';

/** What the log says of an artifact. */
export interface KeptArtifact {
  ref: string;
  name: string;
  kind: string;
  mime: string;
  size: number;
}

/** What a call of a unit may reach. */
export type CallReach = Pick<ToolContext, 'tenant_id' | 'workspace' | 'read_roots' | 'network'>;

/** Where the calls of a unit work. */
export interface CallPlace {
  reach: CallReach;
  /** What one call keeps; its artifacts are listed as they come. */
  keepFor(call: PendingCall): { keep: ToolKeep; artifacts: readonly KeptArtifact[] };
}

/** The place of a unit whose calls keep what they keep in the database. */
export function createCallPlace(
  db: Database,
  unit: ClaimedUnit,
  { workspace, read_roots, network }: Omit<CallReach, 'tenant_id'>,
): CallPlace {
  const { tenant_id } = unit;
  return {
    reach: { tenant_id, workspace, read_roots, network },
    keepFor({ key: call_key, call: { name: tool } }) {
      const artifacts: KeptArtifact[] = [];
      const keep: ToolKeep = {
        before: async (files) => {
          await keepBefore(db, { unit, call_key, tool, workspace: workspace ?? '' }, files);
          faultPoint('change.kept');
        },
        artifact: async (artifact) => {
          const ref = await storeArtifact(db, { unit, call_key }, artifact);
          const { name, kind, mime, content } = artifact;
          artifacts.push({ ref, name, kind, mime, size: content.length });
          return ref;
        },
        readArtifact: (ref) => loadArtifact(db, { tenant_id, ref }),
      };
      return { keep, artifacts };
    },
  };
}
