import type { CheckResult, EvidenceItem } from '@loom/shared/verdict';
import { inDoubtText } from './describe-call.ts';

/** What tier 1 looked at: every file with its hash, every command with its exit code, every call in doubt. */
export function checkEvidence(checks: readonly CheckResult[]): EvidenceItem[] {
  const files = new Map<string, EvidenceItem>();
  const commands: EvidenceItem[] = [];
  const doubtful: EvidenceItem[] = [];
  for (const { name, target, detail, sha256, exit_code } of checks) {
    if (sha256 !== undefined) {
      const known = files.get(target)?.claim;
      const claim = known === undefined ? detail : `${known}; ${detail}`;
      files.set(target, { claim, source: target, quote: `sha256 ${sha256}` });
    } else if (name === 'command' && exit_code !== undefined) {
      commands.push({ claim: `exit code ${exit_code}`, source: target, quote: detail });
    } else if (name === 'in_doubt') {
      doubtful.push({ claim: inDoubtText, source: target, quote: '' });
    }
  }
  return [...files.values(), ...commands, ...doubtful];
}
