import type { Database } from '@loom/db/database';
import { beginAttempt } from '@loom/db/deliveries/begin-attempt';
import { finishDelivery, parkDelivery } from '@loom/db/deliveries/end-attempt';
import { getOrCreateSecret } from '@loom/db/deliveries/webhook-secret';
import type { UnitContext } from '@loom/runtime/unit-context';
import { LostUnit, UnitYield } from '@loom/runtime/unit-yield';
import type { Config } from '@loom/shared/config';
import type { ClaimedUnit } from '@loom/shared/work';
import { checkCallbackUrl } from '@loom/tools/net/check-url';
import type { Resolve } from '@loom/tools/net/guarded-lookup';
import { guardedRequest } from '@loom/tools/net/guarded-request';
import { judgeWebhookAnswer, type WebhookJudgement } from './judge-webhook-answer.ts';
import { signWebhook } from './sign-webhook.ts';

interface DeliveryDeps {
  db: Database;
  settings: Config['webhooks'];
  now: () => Date;
  /** How names become addresses; the system's way unless told otherwise. */
  resolve?: Resolve;
}

// The answer's beginning is kept to explain a failure; nothing else of it is of interest.
const maxAnswerBytes = 4_096;

/**
 * Calls a webhook once and writes down what came of it: it is over, or the delivery parks until the
 * next attempt. Whoever finds an attempt under way after a crash calls again: a receiver may hear the
 * same delivery twice, but never after its success was recorded.
 */
export async function handleDelivery(
  deps: DeliveryDeps,
  unit: ClaimedUnit,
  context: Pick<UnitContext, 'signals' | 'checkpoint'>,
): Promise<void> {
  const { db, settings } = deps;
  context.checkpoint();
  const { secret } = await getOrCreateSecret(db, unit.tenant_id);
  const attempt = await beginAttempt(db, unit, settings.max_attempts);
  if (attempt.outcome === 'lost') throw new LostUnit(unit.unit_id);
  if (attempt.outcome === 'spent') return;

  const startedAt = performance.now();
  const judgement = await callWebhook(deps, unit, { ...attempt, secret }, context.signals.abort);
  const { status, error, next } = judgement;
  // An answer that has arrived is worth writing down even then.
  if (status === null && context.signals.abort.aborted) {
    throw new UnitYield('stopped while a webhook was called');
  }
  const end = { status, error, duration_ms: Math.round(performance.now() - startedAt) };
  const kept =
    next.kind === 'retry'
      ? await parkDelivery(db, unit, { ...end, seconds: next.seconds })
      : await finishDelivery(db, unit, { ...end, delivered: next.kind === 'delivered' });
  if (!kept) throw new LostUnit(unit.unit_id);
}

interface Call {
  number: number;
  url: string;
  event: string;
  body: unknown;
  secret: string;
}

async function callWebhook(
  { settings, now, resolve }: DeliveryDeps,
  unit: ClaimedUnit,
  { number, url, event, secret, ...call }: Call,
  signal: AbortSignal,
): Promise<WebhookJudgement> {
  const { allow_private_networks: allow_private } = settings;
  const refusal = checkCallbackUrl(url, allow_private);
  // What is wrong with the URL itself will be wrong next time; where its name leads may change.
  if (refusal !== null) {
    return { status: null, error: `the address ${refusal}`, next: { kind: 'failed' } };
  }
  const body = JSON.stringify(call.body);
  const answer = await guardedRequest({
    url: new URL(url),
    method: 'POST',
    headers: signWebhook({ delivery_id: unit.unit_id, event, body, secret, now: now() }),
    body,
    timeout_ms: settings.timeout_seconds * 1_000,
    max_bytes: maxAnswerBytes,
    allow_private,
    signal,
    ...(resolve === undefined ? {} : { resolve }),
  });
  return judgeWebhookAnswer(answer, number, settings, now());
}
