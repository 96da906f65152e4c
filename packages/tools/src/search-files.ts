import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { readablePlace } from './confined/readable-place.ts';
import { hasNoNul, readPathInput } from './file-input.ts';
import { confirmMatches } from './search/confirm-matches.ts';
import { findMatches } from './search/find-matches.ts';

const maxMatches = 200;
const maxLineChars = 400;
const more = '[there are more matches; narrow the pattern, the path or the glob]';

const input = z.strictObject({
  pattern: z
    .string()
    .min(1, 'must not be empty')
    .max(2_000, 'must be at most 2000 characters')
    .refine(hasNoNul, 'must not contain NUL characters')
    .describe('Regular expression (ripgrep syntax), matched line by line'),
  path: readPathInput
    .optional()
    .describe('File or directory to search; default: the workspace root'),
  glob: z
    .string()
    .min(1, 'must not be empty')
    .max(500, 'must be at most 500 characters')
    .refine(hasNoNul, 'must not contain NUL characters')
    .optional()
    .describe('Only files that match, for example *.ts or !*.test.ts'),
});

function shorten(text: string): string {
  const line = text.trimEnd();
  return line.length <= maxLineChars ? line : `${line.slice(0, maxLineChars)}…`;
}

/** The tool that finds lines in the files of the workspace, except in those that are hidden. */
export function searchFilesTool(
  hidden_paths: readonly string[],
): ToolDefinition<z.infer<typeof input>> {
  return {
    name: 'search_files',
    description:
      'Search the text files of the workspace with a regular expression; answers with path:line:text. Files ignored by git are left out.',
    effect: 'read',
    timeout_ms: 30_000,
    input,
    unavailable: () => null,
    async run({ pattern, path = '.', glob }, context) {
      const place = readablePlace(context, path);
      const scope = { ...place, hidden_paths, signal: context.signal };
      const { matches, complete } = await findMatches(scope, { pattern, glob: glob ?? null });
      const shown = await confirmMatches(place.root, matches.slice(0, maxMatches));
      const lines = shown.map(
        (match) => `${place.show(match.path)}:${match.line}:${shorten(match.text)}`,
      );
      if (!complete || matches.length > maxMatches) lines.push(more);
      return { text: lines.join('\n') || 'no matches' };
    },
  };
}
