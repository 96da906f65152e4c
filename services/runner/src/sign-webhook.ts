import { createHmac } from 'node:crypto';

interface WebhookCall {
  delivery_id: string;
  event: string;
  body: string;
  secret: string;
  now: Date;
}

/**
 * The headers of a webhook. The signature covers time and body, so that a receiver knows who sent it
 * and refuses what someone recorded and sends again later.
 */
export function signWebhook(call: WebhookCall): Record<string, string> {
  const timestamp = String(Math.floor(call.now.getTime() / 1_000));
  const signature = createHmac('sha256', call.secret)
    .update(`${timestamp}.${call.body}`)
    .digest('hex');
  return {
    'content-type': 'application/json',
    'user-agent': 'loom-webhooks',
    'loom-delivery': call.delivery_id,
    'loom-event': call.event,
    'loom-timestamp': timestamp,
    'loom-signature': `v1=${signature}`,
  };
}
