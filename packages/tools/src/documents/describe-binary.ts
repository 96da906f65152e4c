import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';

function pixelsOf(head: Buffer): string | null {
  try {
    const { width, height } = imageSize(head);
    return `${width} × ${height} pixels`;
  } catch {
    return null;
  }
}

/** One sentence on what a binary file is, from its beginning: its kind and size, for images their measures too. */
export async function describeBinary(head: Buffer, bytes: number, name: string): Promise<string> {
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  if (type?.mime.startsWith('image/')) {
    const pixels = pixelsOf(head) ?? 'of unknown measures';
    return `[${name} is an image: ${type.ext.toUpperCase()}, ${pixels}, ${bytes} bytes]`;
  }
  const kind = type ? `a ${type.ext} file (${type.mime})` : 'of an unknown binary kind';
  return `[${name} is ${kind} of ${bytes} bytes, so it has no text to show]`;
}
