import type { Logger } from '@loom/shared/logger';
import { cutText } from '@loom/shared/text';
import { cleanText } from './clean-text.ts';
import { mcpLimits } from './limits.ts';
import type { Redact } from './redact-secrets.ts';

interface StderrLog {
  push(chunk: Buffer): void;
  /** The last line that was written to the log. */
  lastLine(): string;
}

/** Writes what a program prints beside the protocol to the log, up to a bound. */
export function logStderr(logger: Logger, redact: Redact): StderrLog {
  let left: number = mcpLimits.stderr_lines;
  let rest = '';
  let last = '';

  const write = (line: string) => {
    const shown = cutText(redact(cleanText(line)), mcpLimits.stderr_line_chars).trim();
    if (shown === '') return;
    left -= 1;
    last = shown;
    logger.info({ stderr: shown }, 'MCP server printed');
    if (left === 0) logger.warn('MCP server prints too much; no more of it is logged');
  };

  return {
    push(chunk) {
      if (left === 0) return;
      const lines = (rest + chunk.toString()).split('\n');
      // A line without end is cut, not collected.
      rest = cutText(lines.pop() ?? '', mcpLimits.stderr_line_chars);
      for (const line of lines) if (left > 0) write(line);
    },
    lastLine: () => last || redact(cleanText(rest)),
  };
}
