const number = /^\d+(\.\d+)?$/;

/** How long a server asks to wait, from `retry-after-ms` or `Retry-After` in seconds or as a date. */
export function parseRetryAfter(
  headers: Record<string, string | undefined>,
  now: number,
): number | undefined {
  const exact = headers['retry-after-ms']?.trim() ?? '';
  if (number.test(exact)) return Math.ceil(Number(exact));
  const value = headers['retry-after']?.trim() ?? '';
  if (number.test(value)) return Math.ceil(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
