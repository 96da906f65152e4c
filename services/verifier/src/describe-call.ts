import type { RecordedCall } from '@loom/db/load-attempt';
import { firstLine } from '@loom/shared/text';

/** True for a call that ran to its end, and whose command, if it was one, exited with 0. */
export function succeeded({ status, exit_code }: RecordedCall): boolean {
  return status === 'done' && (exit_code ?? 0) === 0;
}

/** True for a call that was begun, and of which nobody knows whether it took effect. */
export function isInDoubt({ status }: RecordedCall): boolean {
  return status === 'in_doubt' || status === 'intent';
}

/** What is known of a call in doubt. */
export const inDoubtText = 'it is not known whether this call took effect';

/** A call in a few words: its tool and what it was about. */
export function describeCall({ tool, arguments: input }: RecordedCall): string {
  const about = [input.path, input.source, input.command, input.url].find(
    (value) => typeof value === 'string',
  );
  return about === undefined ? tool : `${tool} ${firstLine(String(about), 200)}`;
}
