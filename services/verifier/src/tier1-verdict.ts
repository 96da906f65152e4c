import type { CheckResult, Verdict } from '@loom/shared/verdict';
import { checkEvidence } from './check-evidence.ts';
import { isNotRun } from './checks/commands.ts';

const reasonCodes: Record<string, string> = {
  tool_success: 'tool_failed',
  deliverable_exists: 'deliverable_missing',
  file_not_empty: 'file_empty',
  syntax: 'invalid_syntax',
  command: 'check_failed',
};

const missingCodes = ['deliverable_missing', 'file_empty'];

/** What the deterministic checks add up to. */
export function tier1Verdict(checks: CheckResult[]): Verdict {
  const problems = checks.filter(({ passed }) => !passed);
  const failures = problems.filter(({ advisory }) => !advisory);
  return {
    ...judgement(problems, failures),
    tier: 1,
    conclusive: true,
    confidence: checks.length === 0 ? 1 : (checks.length - problems.length) / checks.length,
    evidence: checkEvidence(checks),
    checks,
    missing_targets: failures
      .filter(({ name }) => missingCodes.includes(reasonCode(name)))
      .map(({ target }) => target),
  };
}

function judgement(
  problems: CheckResult[],
  failures: CheckResult[],
): Pick<Verdict, 'outcome' | 'reason_code' | 'severity_class' | 'feedback'> {
  const [first] = failures;
  if (first !== undefined) {
    return {
      outcome: 'fail',
      reason_code: reasonCode(first.name),
      severity_class: 'hard_invariant',
      feedback: `Fix each of these, then finish again:\n${describe(failures)}`,
    };
  }
  if (problems.some(isNotRun)) {
    return {
      outcome: 'partial_verified',
      reason_code: 'check_not_run',
      severity_class: 'infra',
      feedback: `Not everything could be checked:\n${describe(problems)}`,
    };
  }
  if (problems.length > 0) {
    return {
      outcome: 'pass_with_warnings',
      reason_code: 'checks_passed_with_warnings',
      severity_class: 'inconclusive',
      feedback: `Warnings:\n${describe(problems)}`,
    };
  }
  return {
    outcome: 'pass',
    reason_code: 'checks_passed',
    severity_class: 'semantic',
    feedback: '',
  };
}

function reasonCode(name: string): string {
  return reasonCodes[name] ?? 'check_failed';
}

function describe(problems: CheckResult[]): string {
  return problems
    .map(({ name, target, detail, exit_code }) =>
      name === 'command' && exit_code !== undefined
        ? `- ${target} must exit with 0, but exited with ${exit_code}. Its output ends with:\n${detail}`
        : `- ${target} ${detail}`,
    )
    .join('\n');
}
