import type { StoredArtifact } from '@loom/shared/tool';

// Types that no browser runs anything of. What a stranger served as anything else is only bytes.
const inertTypes = new Set([
  'application/json',
  'application/pdf',
  'application/zip',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/csv',
  'text/markdown',
  'text/plain',
]);

/** Headers with which bytes from anywhere can be served: saved, not shown, and never run. */
export function artifactHeaders({ name, mime, content }: StoredArtifact): Record<string, string> {
  const type = mime.split(';')[0]?.trim().toLowerCase() ?? '';
  const shown = inertTypes.has(type) ? type : 'application/octet-stream';
  return {
    'content-type': shown.startsWith('text/') ? `${shown}; charset=utf-8` : shown,
    'content-length': String(content.length),
    'content-disposition': `attachment; filename="${plainName(name)}"; filename*=UTF-8''${encodeName(name)}`,
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  };
}

function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._ -]/g, '_').slice(-100) || 'artifact';
}

function encodeName(name: string): string {
  const escaped = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name.toWellFormed().slice(0, 200).toWellFormed()).replaceAll(
    /['()*]/g,
    escaped,
  );
}
