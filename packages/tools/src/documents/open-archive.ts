import { AppError } from '@loom/shared/app-error';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { documentLimits } from './document-limits.ts';

/** The parts of a ZIP archive by name. */
export interface Archive {
  names: string[];
  /** The text of a part, or null when there is none. */
  read(name: string): Promise<string | null>;
}

function tooLarge(): AppError {
  const limit = documentLimits.max_inflated_bytes;
  return new AppError(
    'payload_too_large',
    `the document unpacks to more than ${limit} bytes, so it is not read; use a smaller one`,
  );
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const { max_entries } = documentLimits;
  // No more than the declared number are ever read.
  if (zip.entryCount > max_entries) {
    throw new AppError(
      'payload_too_large',
      `the archive has more than ${max_entries} entries, so it is not read; use a smaller one`,
    );
  }
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  return entries;
}

/** Opens a ZIP archive from memory; parts are unpacked only when read, and never beyond the limit. */
export async function openArchive(content: Buffer): Promise<Archive> {
  const zip = await fromBufferPromise(content, { lazyEntries: true });
  const entries = await entriesOf(zip);
  let left: number = documentLimits.max_inflated_bytes;
  return {
    names: [...entries.keys()],
    read: async (name) => {
      const entry = entries.get(name);
      if (entry === undefined) return null;
      if (entry.uncompressedSize > left) throw tooLarge();
      const chunks: Buffer[] = [];
      // Declared sizes can lie, so what really comes out is counted too.
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        left -= chunk.length;
        if (left < 0) throw tooLarge();
        chunks.push(chunk);
      }
      return new TextDecoder().decode(Buffer.concat(chunks));
    },
  };
}
