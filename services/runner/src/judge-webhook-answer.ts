import type { Config } from '@loom/shared/config';
import { cutText, toStorableText } from '@loom/shared/text';
import type { GuardedAnswer } from '@loom/tools/net/guarded-request';
import { parseRetryAfter, webhookBackoff } from './webhook-backoff.ts';

/** What one call of a webhook means for its delivery. */
export interface WebhookJudgement {
  status: number | null;
  error: string | null;
  next: { kind: 'delivered' } | { kind: 'failed' } | { kind: 'retry'; seconds: number };
}

const gone = 410;
const excerptLength = 300;

/** 2xx is delivered, 410 ends it, anything else is tried again until the attempts are used up. */
export function judgeWebhookAnswer(
  answer: GuardedAnswer,
  number: number,
  settings: Config['webhooks'],
  now: Date,
): WebhookJudgement {
  const isLast = number >= settings.max_attempts;
  if (answer.outcome === 'failed') {
    const seconds = webhookBackoff(number, null, settings);
    return {
      status: null,
      error: toStorableText(cutText(answer.reason, excerptLength)),
      next: isLast ? { kind: 'failed' } : { kind: 'retry', seconds },
    };
  }
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return { status, error: null, next: { kind: 'delivered' } };
  const error = describeStatus(status, answer.body);
  if (isLast || status === gone) return { status, error, next: { kind: 'failed' } };
  const asked = parseRetryAfter(headers['retry-after'], now);
  return {
    status,
    error,
    next: { kind: 'retry', seconds: webhookBackoff(number, asked, settings) },
  };
}

function describeStatus(status: number, body: Buffer): string {
  const notes: Record<number, string> = { [gone]: ', which ends the delivery' };
  const note =
    status >= 300 && status < 400 ? '; redirects are not followed' : (notes[status] ?? '');
  const text = toStorableText(body.toString('utf8')).replaceAll(/\s+/g, ' ').trim();
  const excerpt = text === '' ? '' : `: ${cutText(text, excerptLength)}`;
  return `answered ${status}${note}${excerpt}`;
}
