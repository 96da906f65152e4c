import { randomBytes } from 'node:crypto';

const idPrefixes = [
  'ses',
  'turn',
  'task',
  'key',
  'call',
  'wrk',
  'aud',
  'apr',
  'req',
  'ws',
  'dlv',
  'str',
  'af',
  'mem',
  'rev',
  'todo',
] as const;
export type IdPrefix = (typeof idPrefixes)[number];

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** A prefixed id that sorts by creation time: 48 bits of milliseconds, then 80 random bits. */
export function newId(prefix: IdPrefix, now: Date = new Date()): string {
  let time = now.getTime();
  let stamp = '';
  for (let i = 0; i < 10; i++) {
    stamp = alphabet[time % 32] + stamp;
    time = Math.floor(time / 32);
  }
  let tail = '';
  for (const byte of randomBytes(16)) tail += alphabet[byte % 32];
  return `${prefix}_${stamp}${tail}`;
}
