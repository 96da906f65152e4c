const keyLike = /\b(?:sk|pk|key|Bearer)[-_ ][A-Za-z0-9_*.-]{6,}/g;

/** Text without the given secret and without anything that looks like a key. */
export function redact(text: string, secret: string | undefined): string {
  const known = secret ? text.replaceAll(secret, '[redacted]') : text;
  return known.replaceAll(keyLike, '[redacted]');
}
