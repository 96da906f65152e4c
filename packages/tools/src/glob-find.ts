import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { readablePlace } from './confined/readable-place.ts';
import { hasNoNul, readPathInput } from './file-input.ts';
import { confirmPaths } from './search/confirm-paths.ts';
import { findPaths } from './search/find-paths.ts';
import { globBelow } from './search/glob-below.ts';

const maxPaths = 500;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1, 'must not be empty')
    .max(500, 'must be at most 500 characters')
    .refine(hasNoNul, 'must not contain NUL characters')
    .refine((pattern) => !pattern.startsWith('!'), 'must say what to find, not begin with "!"')
    .describe('Glob: *.md finds names at any depth, src/**/*.ts paths below the directory'),
  path: readPathInput.optional().describe('Directory to look in; default: the workspace root'),
});

/** The tool that finds files of the workspace by their path, except those that are hidden. */
export function globFindTool(
  hidden_paths: readonly string[],
): ToolDefinition<z.infer<typeof input>> {
  return {
    name: 'glob_find',
    description:
      'Find files of the workspace by a glob pattern; answers with one path a line, sorted. Directories ignored by git are left out.',
    effect: 'read',
    timeout_ms: 30_000,
    input,
    unavailable: () => null,
    async run({ pattern, path = '.' }, context) {
      const place = readablePlace(context, path);
      const scope = { ...place, hidden_paths, signal: context.signal };
      const { paths, complete } = await findPaths(scope, globBelow(place.path, pattern));
      const found = await confirmPaths(place.root, paths.slice(0, maxPaths));
      const lines = found.map(place.show);
      if (!complete || paths.length > maxPaths) {
        lines.push(
          `[only ${maxPaths} are shown and there are more; narrow the pattern or the path]`,
        );
      }
      return { text: lines.join('\n') || 'no files match' };
    },
  };
}
