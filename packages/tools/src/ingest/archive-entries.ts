import { inflateBounded } from '../net/inflate-bounded.ts';

interface ArchiveEntry {
  name: string;
  size: number;
}

const maxEntries = 200;
const maxUnpackedBytes = 64 * 1024 * 1024;
const tarBlock = 512;

/** What is in a ZIP or tar archive, within bounds and without unpacking files; null for other kinds. */
export async function archiveEntries(
  content: Buffer,
  mime: string,
  signal: AbortSignal,
): Promise<{ entries: ArchiveEntry[]; more: boolean } | null> {
  if (mime === 'application/zip' || mime === 'application/java-archive') return zipEntries(content);
  if (mime === 'application/x-tar') return tarEntries(content);
  if (!/gzip$/.test(mime)) return null;
  const bounds = { max_bytes: maxUnpackedBytes, signal };
  const unpacked = await inflateBounded(content, 'gzip', bounds);
  return unpacked === null ? null : tarEntries(unpacked.body);
}

async function zipEntries(content: Buffer): Promise<{ entries: ArchiveEntry[]; more: boolean }> {
  const { fromBufferPromise } = await import('yauzl');
  const entries: ArchiveEntry[] = [];
  const zip = await fromBufferPromise(content, { lazyEntries: true });
  for await (const { fileName: name, uncompressedSize: size } of zip.eachEntry()) {
    if (entries.length === maxEntries) return { entries, more: true };
    entries.push({ name, size });
  }
  return { entries, more: false };
}

// Null when it is no tar at all: what was in a .gz may be anything.
function tarEntries(content: Buffer): { entries: ArchiveEntry[]; more: boolean } | null {
  if (content.toString('latin1', 257, 262) !== 'ustar') return null;
  const entries: ArchiveEntry[] = [];
  for (let at = 0; at + tarBlock <= content.length; ) {
    const field = (from: number, to: number) =>
      content.toString('utf8', at + from, at + to).split('\0', 1)[0] ?? '';
    const name = field(0, 100);
    if (name === '') break;
    if (entries.length === maxEntries) return { entries, more: true };
    const size = Number.parseInt(field(124, 136).trim() || '0', 8);
    if (!Number.isSafeInteger(size) || size < 0) break;
    const folder = field(345, 500);
    const isFile = /^[0\0]?$/.test(content.toString('latin1', at + 156, at + 157));
    if (isFile) entries.push({ name: folder === '' ? name : `${folder}/${name}`, size });
    at += tarBlock + Math.ceil(size / tarBlock) * tarBlock;
  }
  return { entries, more: false };
}
