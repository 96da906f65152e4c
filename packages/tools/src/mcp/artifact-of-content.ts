import { basename } from 'node:path';
import type { ArtifactKind, NewArtifact } from '@loom/shared/tool';
import type { ContentBlock } from '@modelcontextprotocol/client';
import { cleanText } from './clean-text.ts';
import type { Redact } from './redact-secrets.ts';

function kindOf(mime: string): ArtifactKind {
  if (mime.startsWith('image/')) return 'image';
  if (mime === 'text/html') return 'html';
  if (mime === 'application/pdf') return 'pdf';
  if (/^text\/|[/+](?:json|xml|yaml)$/.test(mime)) return 'text';
  if (/zip|tar|compressed/.test(mime)) return 'archive';
  return 'unknown';
}

function plainMime(mime: string | undefined, otherwise: string): string {
  return mime !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(mime) ? mime.toLowerCase() : otherwise;
}

function nameFromUri(uri: string): string {
  const last = basename(URL.canParse(uri) ? new URL(uri).pathname : uri);
  return (
    cleanText(last)
      .replaceAll(/[^\p{L}\p{N} ._-]/gu, '_')
      .slice(0, 100) || 'resource'
  );
}

/** The bytes in a part of a result that is not text for the model; null when it holds none. */
export function artifactOfContent(
  part: ContentBlock,
  source: string,
  redact: Redact,
): NewArtifact | null {
  if (part.type === 'image' || part.type === 'audio') {
    const mime = plainMime(part.mimeType, 'application/octet-stream');
    const name = `${part.type}.${mime.split('/')[1] ?? 'bin'}`;
    return { name, kind: kindOf(mime), mime, source, content: Buffer.from(part.data, 'base64') };
  }
  if (part.type !== 'resource') return null;
  const { resource } = part;
  const name = nameFromUri(resource.uri);
  if ('text' in resource) {
    const mime = plainMime(resource.mimeType, 'text/plain');
    return { name, kind: kindOf(mime), mime, source, content: Buffer.from(redact(resource.text)) };
  }
  const mime = plainMime(resource.mimeType, 'application/octet-stream');
  return { name, kind: kindOf(mime), mime, source, content: Buffer.from(resource.blob, 'base64') };
}
