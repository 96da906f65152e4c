/** A value shorter than this is no secret, and cutting it out would maim harmless text. */
const minSecretLength = 6;

/** Cuts the given secrets out of text before anybody reads it. */
export type Redact = (text: string) => string;

/** A function that replaces each of these values by a mark, longest first. */
export function redactSecrets(values: readonly string[]): Redact {
  const secrets = values
    .filter((value) => value.length >= minSecretLength)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((kept, secret) => kept.replaceAll(secret, '[redacted]'), text);
}
