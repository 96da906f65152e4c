import { firstLine } from '@loom/shared/text';
import type { Progress } from '@modelcontextprotocol/client';
import { cleanText } from './clean-text.ts';

/** A line for what a server says of a call that runs. */
export function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return `${firstLine(cleanText(message ?? count), 300)}\n`;
}
