import { posix } from 'node:path';
import type { RecordedCall } from '@loom/db/load-attempt';
import type { CheckResult } from '@loom/shared/verdict';
import { describeCall, inDoubtText, isInDoubt, succeeded } from '../describe-call.ts';
import { lastLines } from './last-lines.ts';

/** Recorded calls must have succeeded, unless what failed was made good afterwards. */
export function checkToolSuccess(
  calls: readonly RecordedCall[],
  /** True when deliverables were declared, are there, and pass every other check. */
  deliverablesPass: boolean,
): CheckResult[] {
  const problems = calls.flatMap((call, index) =>
    succeeded(call) ? [] : [judgeCall(call, calls.slice(index + 1), deliverablesPass)],
  );
  const good = calls.length - problems.length;
  if (good === 0) return problems;
  const target = good === 1 ? '1 recorded call' : `${good} recorded calls`;
  return [
    ...problems,
    { name: 'tool_success', target, passed: true, advisory: false, detail: 'succeeded' },
  ];
}

function judgeCall(
  call: RecordedCall,
  later: readonly RecordedCall[],
  deliverablesPass: boolean,
): CheckResult {
  const check = {
    name: 'tool_success',
    target: describeCall(call),
    ...(call.exit_code === null ? {} : { exit_code: call.exit_code }),
  };
  if (isInDoubt(call)) {
    const detail = `is in doubt: ${inDoubtText}`;
    return { ...check, name: 'in_doubt', passed: false, advisory: true, detail };
  }
  if (later.some((other) => makesGood(other, call))) {
    const detail = 'failed, and a later call on the same target succeeded';
    return { ...check, passed: true, advisory: false, detail };
  }
  if (deliverablesPass) {
    const detail = 'failed, and the deliverables are there and pass';
    return { ...check, passed: true, advisory: false, detail };
  }
  const advisory = call.effect === 'read' || call.tool.startsWith('web_');
  const said = lastLines(call.result ?? '');
  return { ...check, passed: false, advisory, detail: said === '' ? 'failed' : `failed: ${said}` };
}

function makesGood(later: RecordedCall, failed: RecordedCall): boolean {
  // Looking at a file does not make up for a change that failed.
  if (!succeeded(later) || (later.effect === 'read' && failed.effect !== 'read')) return false;
  const targets = targetsOf(failed);
  return targetsOf(later).some((target) => targets.includes(target));
}

/** What a call was about: a file, whatever the tool, or a command line and its program. */
function targetsOf({ tool, arguments: input }: RecordedCall): string[] {
  const path = input.path ?? input.source;
  if (typeof path === 'string') return [`file ${posix.normalize(path)}`];
  if (typeof input.command === 'string') {
    const command = input.command.trim();
    return [`command ${command}`, `program ${command.split(/\s/, 1)[0]}`];
  }
  return [`${tool} ${JSON.stringify(input)}`];
}
