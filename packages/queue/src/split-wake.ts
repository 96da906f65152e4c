import type { Wake } from '@loom/shared/wake';

/** NOTIFY carries less than 8,000 bytes; escaped and in UTF-8 this many characters always fit. */
const maxTextChars = 1_000;
const maxIds = 150;

/** Cuts a wake into parts that each fit a notification; live text becomes a run of deltas. */
export function splitWake(wake: Wake): Wake[] {
  if (wake.kind === 'streams' || wake.kind === 'stop') {
    const parts: Wake[] = [];
    for (let at = 0; at < wake.ids.length; at += maxIds) {
      parts.push({ ...wake, ids: wake.ids.slice(at, at + maxIds) });
    }
    return parts;
  }
  if (wake.kind !== 'live' || wake.message.text.length <= maxTextChars) return [wake];
  const { message } = wake;
  const parts: Wake[] = [];
  for (let at = 0; at < message.text.length; at += maxTextChars) {
    parts.push({
      kind: 'live',
      message: {
        ...message,
        kind: at === 0 ? message.kind : 'delta',
        offset: message.offset + at,
        text: message.text.slice(at, at + maxTextChars),
      },
    });
  }
  return parts;
}
