import { AppError } from '@loom/shared/app-error';
import { request } from './request.ts';

const pauses = [400, 1_200];

/** Posts something that creates: tried again when the network fails, yet made at most once. */
export async function postOnce<T>(path: string, body: unknown): Promise<T> {
  const key = newKey();
  for (const pause of pauses) {
    try {
      return await request<T>('POST', path, { body, idempotency_key: key });
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unavailable' && error.retryable))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return request<T>('POST', path, { body, idempotency_key: key });
}

// crypto.randomUUID exists in secure contexts only; a gateway on a local network is not one.
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
