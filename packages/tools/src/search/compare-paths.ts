/** The order of two paths, the same on every machine: directory by directory, by code unit. */
export function comparePaths(a: string, b: string): number {
  const left = a.replaceAll('/', '\0');
  const right = b.replaceAll('/', '\0');
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
