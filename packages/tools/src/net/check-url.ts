import { isIP } from 'node:net';
import { type AddressClass, classifyAddress } from './address-class.ts';

/**
 * Why a client's callback_url cannot be called, as far as it can be seen without asking DNS; null
 * when nothing speaks against it. The text follows the name of the field.
 */
export function checkCallbackUrl(url: string, allowPrivate: boolean): string | null {
  if (!URL.canParse(url)) return 'must be a URL that begins with http:// or https://';
  return checkUrl(new URL(url), allowPrivate);
}

/** The same for a parsed URL. Only what the parser made of it counts: it is what will be called. */
export function checkUrl(url: URL, allowPrivate: boolean): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return 'must be a URL that begins with http:// or https://';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not carry a user name or a password';
  }
  const host = hostOf(url);
  if (host === '') return 'must name a host';
  const found = isIP(host) === 0 ? classifyName(host) : classifyAddress(host);
  if (isAllowed(found, allowPrivate)) return null;
  return `must not point to ${host}: only the public internet is called`;
}

/** A URL's host as names and addresses are compared: without brackets and the root's dot. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

/** Whether an address of this class may be called. */
export function isAllowed(found: AddressClass, allowPrivate: boolean): boolean {
  return found === 'public' || (allowPrivate && found === 'private');
}

// Some names mean this machine, or its cloud's metadata, wherever they are resolved.
function classifyName(host: string): AddressClass {
  if (/^metadata(\.google\.internal|\.goog)?$/.test(host)) return 'forbidden';
  const isLoopback = /^(.*\.)?localhost(\.localdomain)?$|^ip6-(localhost|loopback)$/.test(host);
  return isLoopback ? 'private' : 'public';
}
