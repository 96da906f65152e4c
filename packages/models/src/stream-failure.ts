const statusByType: Record<string, number> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
};

/** What went wrong inside a stream that began well, with the status it would have had before. */
export class StreamFailure extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.name = 'StreamFailure';
    this.status = status;
  }

  /** A stream that ended before the reply was finished. */
  static cut(): StreamFailure {
    return new StreamFailure('the reply ended before it was finished', 502);
  }

  /** The SDK's error part: an Error of its own, or the object that the provider sent. */
  static from(error: unknown): Error {
    if (error instanceof Error) {
      return /without a finish reason/.test(error.message) ? StreamFailure.cut() : error;
    }
    const { message, type, code } = (error ?? {}) as Record<string, unknown>;
    const status =
      typeof code === 'number' && code >= 400
        ? code
        : (statusByType[String(type)] ?? statusByType[String(code)] ?? 500);
    return new StreamFailure(typeof message === 'string' ? message : String(error), status);
  }
}
