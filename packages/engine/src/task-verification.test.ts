import { describe, expect, it } from 'vitest';
import { verificationOf, verificationOfTask } from './task-verification.ts';
import { subtaskOf, verdictOf } from './test-support/task-fixtures.ts';

describe('verificationOf', () => {
  it.each([
    ['pass', true, 'verified'],
    ['pass_with_warnings', true, 'verified'],
    ['partial_verified', true, 'partly_verified'],
    ['fail', true, 'failed'],
    ['pass', false, 'unverified'],
    ['pass_with_warnings', false, 'unverified'],
    ['partial_verified', false, 'unverified'],
    ['fail', false, 'failed'],
  ] as const)('%s, conclusive %s: %s', (outcome, conclusive, expected) => {
    expect(verificationOf(verdictOf({ outcome, conclusive }))).toBe(expected);
  });
});

describe('verificationOfTask', () => {
  it.each([
    [[], 'unverified'],
    [['verified', 'verified'], 'verified'],
    [['unverified', 'unverified'], 'unverified'],
    [['verified', 'unverified'], 'partly_verified'],
    [['verified', 'partly_verified'], 'partly_verified'],
    [['partly_verified'], 'partly_verified'],
    [['verified', 'failed', 'unverified'], 'failed'],
  ] as const)('%j adds up to %s', (found, expected) => {
    const subtasks = found.map((verification, index) => subtaskOf(`s${index}`, { verification }));
    expect(verificationOfTask(subtasks)).toBe(expected);
  });
});
