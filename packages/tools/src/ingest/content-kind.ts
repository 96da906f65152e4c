import type { ArtifactKind } from '@loom/shared/tool';

interface Described {
  content: Buffer;
  /** As a server gave it, with parameters; empty when nobody did. */
  mime: string;
  name: string;
}

/** Bytes from the beginning that tell what something is. */
const sampleBytes = 65_536;

const byExtension: Record<string, string> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  txt: 'text/plain',
  xhtml: 'application/xhtml+xml',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

const archives =
  /^application\/(zip|gzip|x-gzip|x-tar|x-bzip2|x-xz|x-7z-compressed|x-rar-compressed|vnd\.rar|zstd|java-archive)$/;
const texts =
  /^(text\/|image\/svg\+xml$|application\/(.*\+)?(json|xml|yaml|toml|javascript|sql|x-ndjson|x-sh)$)/;
const pageBeginning = /^\s*(<!--[^>]*>\s*)*<(!doctype html|html)[\s>]/i;
const vague = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/zip']);

/**
 * What something is: by its first bytes where they say it, else by the type that was given for it,
 * else by its name, else by whether it reads as text.
 */
export async function contentKind(
  described: Described,
): Promise<{ kind: ArtifactKind; mime: string }> {
  const sample = described.content.subarray(0, sampleBytes);
  const given = described.mime.split(';')[0]?.trim().toLowerCase() ?? '';
  const named = byExtension[/\.(\w+)$/.exec(described.name.toLowerCase())?.[1] ?? ''] ?? '';
  // The mark of UTF-16 is also the beginning of some music.
  const isWide = hasWideMark(sample) && texts.test(given || named);
  const magic = isWide ? '' : await magicMime(sample);
  // Office documents are archives, and XML says nothing of what is in it.
  if (!vague.has(magic) && !texts.test(magic)) return { kind: kindOf(magic), mime: magic };
  if (magic === 'application/zip') {
    const mime = [given, named].find((one) => kindOf(one) === 'office') ?? magic;
    return { kind: kindOf(mime), mime };
  }
  const mime = [given, named].find((one) => !vague.has(one)) ?? '';
  const isText = looksLikeText(sample);
  if (isText && pageBeginning.test(sample.toString('latin1', 0, 1_000))) {
    return { kind: 'html', mime: 'text/html' };
  }
  const kind = kindOf(mime);
  if (kind === 'html' || kind === 'text') return isText ? { kind, mime } : unknown(mime);
  // What the bytes did not say is not believed of a kind whose bytes do.
  return isText ? { kind: 'text', mime: 'text/plain' } : unknown(mime);
}

function unknown(mime: string): { kind: ArtifactKind; mime: string } {
  const isBinary = mime !== '' && !texts.test(mime);
  return { kind: 'unknown', mime: isBinary ? mime : 'application/octet-stream' };
}

function kindOf(mime: string): ArtifactKind {
  if (mime === 'text/html' || mime === 'application/xhtml+xml') return 'html';
  if (mime === 'application/pdf') return 'pdf';
  if (/officedocument|opendocument|msword|ms-excel|ms-powerpoint|^application\/rtf$/.test(mime))
    return 'office';
  if (texts.test(mime)) return 'text';
  if (mime.startsWith('image/')) return 'image';
  return archives.test(mime) ? 'archive' : 'unknown';
}

async function magicMime(sample: Buffer): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  // A part of a file may end where the reader does not expect it.
  const found = await fileTypeFromBuffer(sample).catch(() => undefined);
  if (found !== undefined) return found.mime;
  return sample.subarray(0, 4).equals(Buffer.from('PK\x03\x04')) ? 'application/zip' : '';
}

function looksLikeText(sample: Buffer): boolean {
  return hasWideMark(sample) || !sample.includes(0);
}

function hasWideMark(sample: Buffer): boolean {
  return /^(fffe|feff)/.test(sample.toString('hex', 0, 2));
}
