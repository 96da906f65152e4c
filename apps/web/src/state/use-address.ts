import { useMemo, useSyncExternalStore } from 'react';
import { type Address, readAddress, writeAddress } from './address.ts';

/** What the address names right now. */
export function useAddress(): Address {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => readAddress(hash), [hash]);
}

export function openAddress(address: Partial<Address>): void {
  window.location.hash = writeAddress(address);
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}
