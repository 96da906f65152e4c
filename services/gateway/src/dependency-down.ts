const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
]);

// Postgres: connection failures, resources, operator intervention.
const sqlStateClasses = ['08', '53', '57'];

/** Whether an error says that a database or queue cannot be reached now, rather than a bug of ours. */
export function isDependencyDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (networkCodes.has(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code)) return sqlStateClasses.includes(code.slice(0, 2));
  return (
    /timeout exceeded when trying to connect/.test(error.message) ||
    /connection (terminated|is closed|ended)/i.test(error.message) ||
    error.name === 'MaxRetriesPerRequestError'
  );
}
