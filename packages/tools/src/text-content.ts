import { AppError } from '@loom/shared/app-error';

const sniffBytes = 8_192;

/** Whether content is not text: a NUL byte near its beginning, as git decides it. */
export function isBinary(content: Buffer): boolean {
  return content.subarray(0, sniffBytes).includes(0);
}

/** The text of a file for reading; broken UTF-8 shows as U+FFFD. */
export function decodeText(content: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);
}

/** The text of a file for changing it: refuses anything that would not survive the way back. */
export function decodeTextExactly(content: Buffer, path: string): string {
  if (!isBinary(content)) {
    try {
      return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(content);
    } catch {
      // Falls through to the refusal.
    }
  }
  throw new AppError(
    'tool_failed',
    `${path} is not UTF-8 text, so it cannot be edited in place; replace it with write_file`,
  );
}
