import { AppError, errorMessage } from '@loom/shared/app-error';
import { firstLine } from '@loom/shared/text';

/** What a document that cannot be read is answered with: one sentence with the reason. */
export function brokenDocument(name: string, format: string, reason: unknown): AppError {
  if (reason instanceof AppError) return reason;
  const words = firstLine(errorMessage(reason), 200).replace(/[.\s]+$/, '');
  return new AppError(
    'tool_failed',
    `${name} cannot be read as ${format} (${words}); it may be damaged, so use another copy of it`,
    { cause: reason },
  );
}
