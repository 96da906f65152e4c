import type { JsonValue } from '@loom/shared/json';
import type { ToolDefinition, ToolResult } from '@loom/shared/tool';
import type { z } from 'zod';
import { describeShape } from './describe-shape.ts';

type ParsedArguments<Input> =
  | { ok: true; input: Input }
  | { ok: false; result: Extract<ToolResult, { ok: false }> };

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => `"${key}"`).join(', ');
    return issue.keys.length === 1
      ? `${keys} is not a known field`
      : `${keys} are not known fields`;
  }
  if (issue.path.length === 0) return issue.message;
  return `"${issue.path.join('.')}": ${issue.message}`;
}

/** The tool's input from what a model sent, or the answer that tells it how to correct the call. */
export function parseArguments<Input>(
  tool: Pick<ToolDefinition<Input>, 'name' | 'input'>,
  args: JsonValue,
): ParsedArguments<Input> {
  const parsed = tool.input.safeParse(args);
  if (parsed.success) return { ok: true, input: parsed.data };
  const isObject = args !== null && typeof args === 'object' && !Array.isArray(args);
  const problems = isObject
    ? parsed.error.issues.map(describeIssue).join('; ')
    : 'they are not a JSON object';
  const text = `The arguments of ${tool.name} are invalid: ${problems}. Call it again with ${describeShape(tool.input)}.`;
  return { ok: false, result: { ok: false, error_code: 'invalid_arguments', text } };
}
