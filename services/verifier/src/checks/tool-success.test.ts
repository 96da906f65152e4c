import { describe, expect, it } from 'vitest';
import { recordedCall } from '../test-support/subject-fixtures.ts';
import { checkToolSuccess } from './tool-success.ts';

const failedWrite = recordedCall({ status: 'failed', result: 'the disk is full' });
const shell = (command: string, exit_code: number) =>
  recordedCall({
    tool: 'shell_execute',
    effect: 'effectful',
    arguments: { command },
    result: `exit code ${exit_code}\n`,
    exit_code,
  });

describe('checkToolSuccess', () => {
  it('has nothing to say about no calls', () => {
    expect(checkToolSuccess([], false)).toEqual([]);
  });

  it('counts what succeeded', () => {
    expect(checkToolSuccess([recordedCall(), shell('true', 0)], false)).toMatchObject([
      { name: 'tool_success', target: '2 recorded calls', passed: true },
    ]);
  });

  it.each([
    ['a failed call', failedWrite, /^failed: the disk is full$/],
    ['a failed command', shell('npm test', 1), /^failed: exit code 1$/],
  ])('fails hard for %s', (_, call, detail) => {
    const [check] = checkToolSuccess([call, recordedCall({ arguments: { path: 'b.txt' } })], false);
    expect(check).toMatchObject({ passed: false, advisory: false });
    expect(check?.detail).toMatch(detail);
  });

  it.each([
    ['the same file', failedWrite, recordedCall({ arguments: { path: './a.txt' } })],
    ['the same file by another tool', failedWrite, recordedCall({ tool: 'edit_file' })],
    [
      'the same source',
      recordedCall({ arguments: { source: 'x' }, status: 'failed' }),
      recordedCall({ arguments: { source: 'x' } }),
    ],
    ['the same command', shell('make', 2), shell('make', 0)],
    ['the same program', shell('npm test', 1), shell('npm run test', 0)],
  ])('forgives what a later call on %s made good', (_, failed, later) => {
    expect(checkToolSuccess([failed, later], false)[0]).toMatchObject({ passed: true });
    // An earlier success makes nothing good.
    expect(checkToolSuccess([later, failed], false)[0]).toMatchObject({ passed: false });
  });

  it('does not take a look at a file for a change that failed', () => {
    const look = recordedCall({ tool: 'read_file', effect: 'read' });
    expect(checkToolSuccess([failedWrite, look], false)[0]).toMatchObject({ passed: false });
  });

  it('forgives when the deliverables are there and pass', () => {
    expect(checkToolSuccess([failedWrite], true)).toMatchObject([{ passed: true }]);
  });

  it.each([
    ['a failed read', recordedCall({ tool: 'read_file', effect: 'read', status: 'failed' })],
    ['the web', recordedCall({ tool: 'web_fetch', arguments: { url: 'x' }, status: 'failed' })],
    ['a call in doubt', recordedCall({ status: 'in_doubt', result: null })],
    ['a call without a known end', recordedCall({ status: 'intent', result: null })],
  ])('only warns of %s', (_, call) => {
    expect(checkToolSuccess([call], false)).toMatchObject([{ passed: false, advisory: true }]);
  });

  it('shows a call in doubt even when a later call on the same target succeeded', () => {
    const doubtful = recordedCall({ status: 'in_doubt', result: null });
    expect(checkToolSuccess([doubtful, recordedCall()], true)).toMatchObject([
      { name: 'in_doubt', target: 'write_file a.txt', passed: false, advisory: true },
      { name: 'tool_success', target: '1 recorded call', passed: true },
    ]);
  });

  it('shows a call in doubt even when the deliverables pass', () => {
    const [check] = checkToolSuccess([recordedCall({ status: 'in_doubt' })], true);
    expect(check).toMatchObject({ name: 'in_doubt', passed: false, advisory: true });
    expect(check?.detail).toMatch(/not known whether this call took effect/);
  });
});
