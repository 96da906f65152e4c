const maxMetaBytes = 2_048;

/** Bytes as text: by their mark, the given charset, what a page says of itself, else UTF-8 or Latin. */
export function decodeBytes(content: Buffer, mime: string): string {
  const charset =
    /charset\s*=\s*["']?([\w-]+)/i.exec(mime)?.[1] ??
    /<meta[^>]{1,200}?charset\s*=\s*["']?([\w-]+)/i.exec(
      content.toString('latin1', 0, maxMetaBytes),
    )?.[1];
  const mark = markOf(content);
  if (mark !== null) return decodeAs(mark, content) ?? '';
  const given = charset === undefined ? null : decodeAs(charset, content);
  return given ?? decodeStrictly(content) ?? decodeAs('windows-1252', content) ?? '';
}

function markOf(content: Buffer): string | null {
  const start = content.toString('hex', 0, 3);
  if (start === 'efbbbf') return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  return start.startsWith('feff') ? 'utf-16be' : null;
}

// Null for a charset that nobody knows.
function decodeAs(charset: string, content: Buffer): string | null {
  try {
    return new TextDecoder(charset).decode(content);
  } catch {
    return null;
  }
}

// What was cut off may end within a character.
function decodeStrictly(content: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content, { stream: true });
  } catch {
    return null;
  }
}
