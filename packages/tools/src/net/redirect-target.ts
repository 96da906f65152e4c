const redirects = new Set([301, 302, 303, 307, 308]);

/** How many redirects one request follows. */
export const maxRedirects = 5;

/** Where an answer sends its client; null when it sends it nowhere that can be read as a URL. */
export function redirectTarget(
  from: URL,
  { status, location }: { status: number; location: string | null | undefined },
): URL | null {
  if (!redirects.has(status) || !location || !URL.canParse(location, from)) return null;
  const target = new URL(location, from);
  // A page's part stays the one that was asked for, as in browsers.
  if (target.hash === '') target.hash = from.hash;
  return target;
}

/** Whether a redirect would lay open what was encrypted so far. */
export function isDowngrade(from: URL, target: URL): boolean {
  return from.protocol === 'https:' && target.protocol !== 'https:';
}
