import type { JsonValue } from '@loom/shared/json';
import { nearestKey } from '@loom/shared/nearest-key';
import type {
  ToolContext,
  ToolDefinition,
  ToolInfo,
  ToolRegistry,
  ToolResult,
} from '@loom/shared/tool';
import { boundOutput } from './bound-output.ts';
import { parseArguments } from './parse-arguments.ts';
import { runBounded } from './run-bounded.ts';
import { stoppedResult, thrownResult } from './tool-failure.ts';
import { toToolSpec } from './tool-spec.ts';

/**
 * All tools behind one door: arguments are checked, time and output are bounded,
 * and whatever goes wrong comes back as an answer the model can act on.
 */
export function createToolRegistry(
  tools: readonly ToolDefinition[],
  options: { max_output_chars: number },
): ToolRegistry {
  const byName = new Map(tools.map((tool) => [tool.name, { tool, spec: toToolSpec(tool) }]));
  if (byName.size !== tools.length) throw new Error('two tools have the same name');

  const unknownTool = (name: string): ToolResult => {
    const names = [...byName.keys()];
    const shown = name.slice(0, 100);
    const nearest = nearestKey(shown, names);
    const hint = nearest && nearest.distance <= 3 ? ` Did you mean ${nearest.key}?` : '';
    const text = `There is no tool named "${shown}".${hint} Available tools: ${names.join(', ')}.`;
    return { ok: false, error_code: 'unknown_tool', text };
  };

  const refusal = (tool: ToolDefinition): ToolResult | null => {
    const reason = tool.unavailable();
    if (reason === null) return null;
    const text = `${tool.name} cannot be used here: ${reason}`;
    return { ok: false, error_code: 'failed', text };
  };

  const bounded = (result: ToolResult): ToolResult => ({
    ...result,
    text: boundOutput(result.text, options.max_output_chars),
  });

  const runTool = async (
    tool: ToolDefinition,
    args: JsonValue,
    context: ToolContext,
  ): Promise<ToolResult> => {
    const parsed = parseArguments(tool, args);
    if (!parsed.ok) return parsed.result;
    const refused = refusal(tool);
    if (refused) return refused;
    const { timeout_ms } = tool;
    if (context.signal.aborted) return stoppedResult(tool.name, 'caller', timeout_ms);
    const run = await runBounded((signal) => tool.run(parsed.input, { ...context, signal }), {
      timeout_ms,
      signal: context.signal,
    });
    if (run.outcome === 'finished') {
      const { text, files_changed = [], exit_code } = run.value;
      return { ok: true, text, files_changed, ...(exit_code === undefined ? {} : { exit_code }) };
    }
    if (run.outcome === 'threw' && run.stopped_by === null) {
      return thrownResult(tool.name, run.error);
    }
    return stoppedResult(tool.name, run.stopped_by ?? 'caller', timeout_ms);
  };

  return {
    list: () =>
      [...byName.values()].map(({ tool, spec }): ToolInfo => {
        const unavailable_reason = tool.unavailable();
        const available = unavailable_reason === null;
        return { ...spec, effect: tool.effect, available, unavailable_reason };
      }),
    specs: (names) =>
      names.flatMap((name) => {
        const entry = byName.get(name);
        return entry && entry.tool.unavailable() === null ? [entry.spec] : [];
      }),
    effect: (name) => byName.get(name)?.tool.effect ?? null,
    check: (name, args) => {
      const entry = byName.get(name);
      if (!entry) return bounded(unknownTool(name));
      const parsed = parseArguments(entry.tool, args);
      const problem = parsed.ok ? refusal(entry.tool) : parsed.result;
      return problem && bounded(problem);
    },
    run: async (name, args, context) => {
      const entry = byName.get(name);
      return bounded(entry ? await runTool(entry.tool, args, context) : unknownTool(name));
    },
  };
}
