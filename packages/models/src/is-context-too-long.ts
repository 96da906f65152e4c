/** What servers call it, in codes and in sentences; digits and names stand in between. */
const phrases = [
  /context_length_exceeded|exceed_context_size|request_too_large|model_context_window_exceeded/i,
  /(prompt|input|request|messages?)\b[^.\n]{0,80}\bis too long/i,
  /(maximum|model's|configured) context (length|size|window)/i,
  /exceeds? [^.\n]{0,60}\b(context (length|size|window|limit)|maximum number of (input )?tokens|max(imum)? (input |prompt )?(tokens?|length))/i,
  /context (length|size|window)( limit)? (was |is |has been )?exceeded/i,
  /reduce the length of the (messages|prompt|input)/i,
  /too large for model with \d+ maximum context/i,
];

/** Whether a refusal means that the conversation is longer than the model can read at once. */
export function isContextTooLong(status: number, body: string): boolean {
  // A limit of tokens a minute speaks of lengths as well, and passes by waiting.
  if (status === 429 || status === 401 || status === 403) return false;
  return phrases.some((phrase) => phrase.test(body));
}
