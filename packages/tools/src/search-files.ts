import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { toWorkspacePath } from './confined/confined-path.ts';
import { requireWorkspace } from './confined/workspace.ts';
import { hasNoNul, pathInput } from './file-input.ts';
import { confirmMatches } from './search/confirm-matches.ts';
import { runRipgrep } from './search/run-ripgrep.ts';

const maxMatches = 200;
const maxLineChars = 400;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1, 'must not be empty')
    .max(2_000)
    .refine(hasNoNul, 'must not contain NUL characters')
    .describe('Regular expression (ripgrep syntax), matched line by line'),
  path: pathInput.optional().describe('File or directory to search; default: the workspace root'),
  glob: z
    .string()
    .min(1)
    .max(500)
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
      const workspace = requireWorkspace(context.workspace);
      const { matches, complete } = await runRipgrep({
        workspace,
        pattern,
        path: toWorkspacePath(workspace, path),
        glob: glob ?? null,
        hidden_paths,
        signal: context.signal,
      });
      const shown = await confirmMatches(workspace, matches.slice(0, maxMatches));
      if (shown.length === 0) return { text: 'no matches' };
      const lines = shown.map((match) => `${match.path}:${match.line}:${shorten(match.text)}`);
      if (!complete || matches.length > maxMatches) {
        lines.push('[there are more matches; narrow the pattern, the path or the glob]');
      }
      return { text: lines.join('\n') };
    },
  };
}
