import { firstLine } from '@loom/shared/text';
import type { StoredArtifact, ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { contentText } from './ingest/content-text.ts';
import { showText } from './ingest/show-text.ts';

const input = z.strictObject({
  artifact_ref: z.string().min(1).max(100).describe('The reference, such as af_…'),
  query: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Words to look for, or a place in characters such as "16000-32000"'),
});

/** Its own bound: what it shows is never kept once more. */
const maxShownChars = 24_000;

/** Shows what a tool kept beside the workspace. */
export const readArtifactTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'read_artifact',
  description:
    'Shows an artifact (af_…) that another tool kept: its text, or what it is. With a query, the parts that match it; ' +
    'with a place such as "16000-32000", those characters.',
  effect: 'read',
  timeout_ms: 60_000,
  input,
  unavailable: () => null,
  run: async ({ artifact_ref, query }, { keep, signal }) => {
    const artifact = await keep.readArtifact(artifact_ref);
    if (artifact === null) {
      const text = `There is no artifact ${firstLine(artifact_ref, 100)}: use a reference that a tool gave, or get it anew if it is old.`;
      return { text, failure: 'failed' };
    }
    const { text } = await contentText({ ...artifact, url: baseOf(artifact) }, signal);
    const more = 'give a query, or a place such as "24000-48000", for other parts';
    return {
      text: `${manifestLine(artifact)}\n\n${showText(text, { query, max_chars: maxShownChars, more })}`,
    };
  },
};

function manifestLine({ ref, name, kind, mime, content, source }: StoredArtifact): string {
  return `[${ref}: ${name}, ${kind} (${mime}), ${content.length} bytes, from ${source}]`;
}

// Links in a page are relative to where it came from.
function baseOf({ source }: StoredArtifact): string {
  return URL.canParse(source) ? source : 'about:blank';
}
