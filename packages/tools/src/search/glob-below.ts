/**
 * A glob as seen from the root that means what `pattern` means in the directory `path`: without a
 * slash it matches names at any depth, with one it begins at the directory.
 */
export function globBelow(path: string, pattern: string): string {
  const inside = pattern.replace(/^(\.\/)+/, '');
  const anchored = inside.startsWith('/') ? inside.slice(1) : inside;
  if (!anchored.includes('/') && anchored === inside) return inside;
  const above = path === '.' ? '' : `${path.replace(/[^\w/.-]/gu, '\\$&')}/`;
  return `/${above}${anchored}`;
}
