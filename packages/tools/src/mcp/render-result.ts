import { cutText, firstLine, toStorableText } from '@loom/shared/text';
import type { ToolKeep, ToolOutput } from '@loom/shared/tool';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { artifactOfContent } from './artifact-of-content.ts';
import { mcpLimits } from './limits.ts';
import type { Redact } from './redact-secrets.ts';

interface Rendering {
  /** The name of the tool. */
  source: string;
  redact: Redact;
  keep: ToolKeep;
}

/** What a server answered as a model reads it: text as it is, bytes as artifacts with a line each. */
export async function renderResult(
  result: CallToolResult,
  rendering: Rendering,
): Promise<ToolOutput> {
  const lines: string[] = [];
  let kept = 0;
  for (const part of result.content) {
    const isKept = part.type !== 'text' && part.type !== 'resource_link';
    if (isKept) kept += 1;
    if (isKept && kept > mcpLimits.artifacts) continue;
    lines.push(await renderPart(part, rendering));
  }
  const dropped = kept - mcpLimits.artifacts;
  if (dropped > 0) lines.push(`[${dropped} more parts were left out]`);
  if (lines.length === 0 && result.structuredContent !== undefined) {
    lines.push(rendering.redact(JSON.stringify(result.structuredContent, null, 2)));
  }
  const text = bounded(lines.join('\n')) || '[no output]';
  return result.isError === true ? { text, failure: 'failed' } : { text };
}

async function renderPart(part: ContentBlock, rendering: Rendering): Promise<string> {
  const { source, redact, keep } = rendering;
  if (part.type === 'text') return redact(part.text);
  if (part.type === 'resource_link') {
    return redact(`[link: ${firstLine(part.uri, 300)} (${firstLine(part.name, 100)})]`);
  }
  const artifact = artifactOfContent(part, source, redact);
  if (artifact === null) return '[a part of a kind that is not known]';
  const ref = await keep.artifact(artifact);
  const { name, mime, content } = artifact;
  return `[${name}, ${mime}, ${content.length} bytes: kept as artifact ${ref}]`;
}

function bounded(text: string): string {
  const { result_chars } = mcpLimits;
  if (text.length <= result_chars) return toStorableText(text);
  const cut = text.length - result_chars;
  return `${toStorableText(cutText(text, result_chars))}\n[… ${cut} characters cut …]`;
}
