import { expect, it } from 'vitest';
import { offerRetries, readRetry } from './dashboard-retry.ts';

const api = '/admin/queues/api/queues';

it('hears a retry of one job or of all, and nothing else', () => {
  const retry = (path: string, method = 'PUT') => readRetry(method, `${api}/${path}`);
  expect(retry('subtasks/subtasks-task_1.a%2E1-2/retry')).toEqual({
    queue: 'subtasks',
    job_id: 'subtasks-task_1.a.1-2',
  });
  expect(retry('plans/retry/failed')).toEqual({ queue: 'plans', job_id: null });
  expect(retry('plans/%zz/retry')).toEqual({ queue: 'plans', job_id: '%zz' });
  expect(retry('plans/retry/completed')).toBeNull();
  expect(retry('nope/x/retry')).toBeNull();
  expect(retry('plans/x/clean')).toBeNull();
  expect(retry('plans/x/retry', 'GET')).toBeNull();
});

it('shows the button only in the list of failed jobs', async () => {
  const queues = [
    { name: 'plans', readOnlyMode: true, allowRetries: false },
    { name: 'turns', readOnlyMode: true, allowRetries: false },
  ];
  const ask = async (query: string) => {
    const response = await offerRetries(
      Response.json({ queues }),
      new URL(`http://x${api}${query}`),
    );
    return (await response.json()) as { queues: unknown };
  };
  expect(await ask('?activeQueue=plans&status=completed')).toEqual({ queues });
  expect(await ask('?activeQueue=plans&status=failed')).toEqual({
    queues: [{ name: 'plans', readOnlyMode: false, allowRetries: true }, queues[1]],
  });
});
