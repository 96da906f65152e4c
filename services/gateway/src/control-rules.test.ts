import type { ControlState } from '@loom/db/read/control-state';
import { AppError } from '@loom/shared/app-error';
import { expect, it } from 'vitest';
import { requireOpen, requirePaused, requirePlanned, requireRetryable } from './control-rules.ts';

function aState(changes: Partial<ControlState> = {}): ControlState {
  return {
    status: 'running',
    plan_version: 1,
    cancel_mode: null,
    paused: false,
    subtasks: [
      { id: 'open', status: 'running', held: false },
      { id: 'held', status: 'pending', held: true },
      { id: 'done', status: 'completed', held: false },
      { id: 'failed', status: 'failed', held: false },
      { id: 'left', status: 'skipped', held: false },
    ],
    ...changes,
  };
}

function refusal(check: () => void): Pick<AppError, 'code' | 'details'> | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, details: error.details };
    throw error;
  }
}

const ended = (status: string) => ({ code: 'already_ended', details: { status } });

it('leaves alone what has ended, and names how', () => {
  expect(refusal(() => requireOpen(aState(), null))).toBeNull();
  expect(refusal(() => requireOpen(aState(), 'open'))).toBeNull();
  for (const status of ['completed', 'failed', 'cancelled'] as const) {
    const over = aState({ status, cancel_mode: 'cancel' });
    expect(refusal(() => requireOpen(over, null))).toEqual(ended(status));
    expect(refusal(() => requirePaused(over, null))).toEqual(ended(status));
    expect(refusal(() => requirePlanned(over))).toEqual(ended(status));
  }
  expect(refusal(() => requireOpen(aState(), 'done'))).toEqual({
    code: 'already_ended',
    details: { subtask_id: 'done', status: 'completed' },
  });
  expect(refusal(() => requireOpen(aState(), 'nope'))).toMatchObject({ code: 'not_found' });
});

it('takes no wishes for a task that is being stopped', () => {
  const state = aState({ cancel_mode: 'cancel' });
  const told = { code: 'conflict', details: { status: 'running', stopping: 'cancel' } };
  expect(refusal(() => requireOpen(state, null))).toEqual(told);
  expect(refusal(() => requireRetryable(state, 'failed'))).toEqual(told);
});

it('resumes only what was paused', () => {
  const conflict = { code: 'conflict', details: { status: 'running' } };
  expect(refusal(() => requirePaused(aState(), null))).toEqual(conflict);
  expect(refusal(() => requirePaused(aState({ status: 'paused', paused: true }), null))).toBeNull();
  expect(refusal(() => requirePaused(aState(), 'held'))).toBeNull();
  expect(refusal(() => requirePaused(aState(), 'open'))).toEqual({
    code: 'conflict',
    details: { subtask_id: 'open', status: 'running' },
  });
});

it('replans only what has a plan', () => {
  expect(refusal(() => requirePlanned(aState()))).toBeNull();
  expect(refusal(() => requirePlanned(aState({ status: 'planning', plan_version: 0 })))).toEqual({
    code: 'conflict',
    details: { status: 'planning' },
  });
});

it('runs again what failed or was left out, and nothing else', () => {
  expect(refusal(() => requireRetryable(aState(), null))).toBeNull();
  expect(refusal(() => requireRetryable(aState(), 'failed'))).toBeNull();
  expect(refusal(() => requireRetryable(aState(), 'left'))).toBeNull();
  expect(refusal(() => requireRetryable(aState(), 'open'))).toMatchObject({ code: 'conflict' });
  const fine = aState({ subtasks: [{ id: 'a', status: 'completed', held: false }] });
  expect(refusal(() => requireRetryable(fine, null))).toEqual({
    code: 'conflict',
    details: { status: 'running' },
  });
  const cancelled = { ...fine, status: 'cancelled' as const, cancel_mode: 'abort' as const };
  expect(refusal(() => requireRetryable(cancelled, null))).toBeNull();
});
