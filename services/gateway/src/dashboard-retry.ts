import { AppError } from '@loom/shared/app-error';
import { type QueueName, queueNames } from '@loom/shared/queues';
import type { Context } from 'hono';
import type { GatewayEnv } from './gateway-deps.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { toProblem } from './problem.ts';
import { retryDeadQueue } from './retry-dead-queue.ts';
import { retryDeadUnit } from './retry-dead-unit.ts';
import { notFound } from './route.ts';

/** What the dashboard's buttons ask for: one failed job again, or all of a queue. */
interface DashboardRetry {
  queue: QueueName;
  job_id: string | null;
}

/** Reads a retry out of a request to the dashboard's API; null for anything else. */
export function readRetry(method: string, path: string): DashboardRetry | null {
  if (method !== 'PUT') return null;
  const all = /\/api\/queues\/([^/]+)\/retry\/failed$/.exec(path);
  const one = /\/api\/queues\/([^/]+)\/([^/]+)\/retry$/.exec(path);
  const queue = queueNames.find((name) => name === (all ?? one)?.[1]);
  if (queue === undefined) return null;
  return { queue, job_id: all === null ? decode(one?.[2] ?? '') : null };
}

/**
 * Answers it through our own door, which knows the unit behind a job and writes down who asked, in
 * the form that the dashboard understands: a refusal is shown there in its own words.
 */
export async function answerRetry(
  c: Context<GatewayEnv>,
  parts: GatewayParts,
  { queue, job_id }: DashboardRetry,
): Promise<Response> {
  const identity = c.get('identity');
  try {
    if (job_id === null) {
      return c.json(await retryDeadQueue(parts, identity, queue, `dashboard ${queue}`));
    }
    const job = await parts.queueAdmin.job(queue, job_id);
    if (job === null) throw notFound('job');
    await retryDeadUnit(parts, identity, job.unit_id, `dashboard job ${job_id}`);
    return c.body(null, 204);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { status, body } = toProblem(error, c.get('request_id'));
    return Response.json({ ...body, error: body.detail }, { status });
  }
}

/** Shows the retry button where failed jobs are listed; everything else stays read-only. */
export async function offerRetries(response: Response, url: URL): Promise<Response> {
  const isFailedList =
    url.pathname.endsWith('/api/queues') && url.searchParams.get('status') === 'failed';
  if (!isFailedList || !response.ok) return response;
  const active = url.searchParams.get('activeQueue');
  const { queues } = (await response.json()) as { queues: { name: string }[] };
  return Response.json({
    queues: queues.map((queue) =>
      queue.name === active ? { ...queue, readOnlyMode: false, allowRetries: true } : queue,
    ),
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
