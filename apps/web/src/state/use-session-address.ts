import { useSyncExternalStore } from 'react';

/** The session named in the address (`/#ses_…`); null for a new one. */
export function useSessionAddress(): string | null {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  const id = decodeURIComponent(hash.slice(1));
  return id.startsWith('ses_') ? id : null;
}

export function sessionAddress(sessionId: string | null): string {
  return sessionId === null ? '#' : `#${encodeURIComponent(sessionId)}`;
}

export function openSession(sessionId: string | null): void {
  window.location.hash = sessionAddress(sessionId);
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}
