import { AppError, errorCodes } from '@loom/shared/app-error';
import { HTTPException } from 'hono/http-exception';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { toAppError } from './on-error.ts';
import { statusOfCode, toProblem } from './problem.ts';

it('has an error status for every code', () => {
  expect(Object.keys(statusOfCode).sort()).toEqual([...errorCodes].sort());
  for (const status of Object.values(statusOfCode)) expect(status).toBeGreaterThanOrEqual(400);
});

it('carries what the status asks for', () => {
  const limited = new AppError('rate_limited', 'slow', { details: { retry_after_seconds: 7 } });
  expect(toProblem(limited, 'req_1')).toEqual({
    status: 429,
    headers: { 'retry-after': '7' },
    body: {
      type: 'about:blank',
      title: 'Rate limited',
      status: 429,
      code: 'rate_limited',
      detail: 'slow',
      request_id: 'req_1',
    },
  });
  expect(toProblem(new AppError('unavailable', ''), '').headers).toEqual({ 'retry-after': '1' });
  const method = new AppError('method_not_allowed', '', { details: { allow: 'GET' } });
  expect(toProblem(method, '').headers).toEqual({ allow: 'GET' });
});

it('says what stands in the way of a conflicting request, and only there', () => {
  const details = { status: 'completed' };
  const conflict = toProblem(new AppError('already_ended', 'over', { details }), '');
  expect(conflict).toMatchObject({ status: 409, body: { details } });
  expect(toProblem(new AppError('conflict', 'no'), '').body).not.toHaveProperty('details');
  expect(toProblem(new AppError('internal', '', { details }), '').body).not.toHaveProperty(
    'details',
  );
});

it('lists each field that a schema refused', () => {
  const { error } = z.object({ a: z.object({ b: z.number() }) }).safeParse({ a: { b: 'x' } });
  expect(toAppError(error)).toMatchObject({
    code: 'invalid_request',
    details: { errors: [{ path: 'a.b', message: expect.any(String) }] },
  });
});

it('says nothing of an unexpected error', () => {
  const told = toAppError(new Error('password is hunter2'));
  expect(told.code).toBe('internal');
  expect(told.message).not.toContain('hunter2');
});

it('tells a database that is away from a mistake of ours', () => {
  const withCode = (code: string) => Object.assign(new Error('x'), { code });
  for (const code of ['ECONNREFUSED', '57P01', '08006', '53300']) {
    expect(toAppError(withCode(code)).code).toBe('unavailable');
  }
  expect(toAppError(withCode('23505')).code).toBe('internal');
  expect(toAppError(new HTTPException(415)).code).toBe('unsupported_media_type');
});
