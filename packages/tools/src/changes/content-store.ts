import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type SeenFile, toSeenFile } from './walk-files.ts';

/** Where content lies in its store. */
interface Place {
  offset: number;
  length: number;
}

/** Content of files, kept until the store is closed or its process ends. */
export interface ContentStore {
  bytes(): number;
  /** Copies a file; null when it could not be read whole, as it was seen. */
  copy(systemPath: string, seen: SeenFile): Place | null;
  read(place: Place): Buffer;
  close(): void;
}

const readFlags =
  constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

function readWhole(fd: number, length: number, position: number | null): Buffer {
  const content = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const at = position === null ? null : position + filled;
    const count = readSync(fd, content, filled, length - filled, at);
    if (count === 0) break;
    filled += count;
  }
  return content.subarray(0, filled);
}

function readAsSeen(systemPath: string, seen: SeenFile): Buffer | null {
  const fd = openSync(systemPath, readFlags);
  try {
    const content = readWhole(fd, seen.size, null);
    const now = toSeenFile(fstatSync(fd, { bigint: true }));
    return now.identity === seen.identity && content.length === seen.size ? content : null;
  } finally {
    closeSync(fd);
  }
}

/** A store in one file without a name: nobody else can open it, and nothing is left of it after a crash. */
export function openContentStore(directory: string): ContentStore {
  const path = join(directory, `loom-snapshot-${randomUUID()}`);
  const fd = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  let end = 0;
  return {
    bytes: () => end,
    copy(systemPath, seen) {
      try {
        const content = readAsSeen(systemPath, seen);
        if (content === null) return null;
        for (let done = 0; done < content.length; ) {
          done += writeSync(fd, content, done, content.length - done, end + done);
        }
        const place = { offset: end, length: content.length };
        end += content.length;
        return place;
      } catch {
        // Not readable, gone, or no room: the change can be seen then, but not undone.
        return null;
      }
    },
    read: ({ offset, length }) => readWhole(fd, length, offset),
    close: () => closeSync(fd),
  };
}
