import { type Logger, pino } from 'pino';

export type { Logger };

/** A JSON logger on stderr; anything that looks like a credential is cut out before it is written. */
export function createLogger(options: { level: string; name: string }): Logger {
  return pino(
    {
      level: options.level,
      name: options.name,
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'cookie',
          '*.cookie',
          'api_key',
          '*.api_key',
          'password',
          '*.password',
          'key',
          '*.key',
        ],
        censor: '[redacted]',
      },
      // Errors are written with message and stack; their causes may hold provider payloads.
      serializers: { err: serializeError },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

function serializeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: String(error.code) } : {};
  return { type: error.name, message: error.message, stack: error.stack, ...code };
}
