import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits, in 43 characters that fit in a header and in a link. */
export function newSecretToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a secret: enough to recognise it, not to use it. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
