import type { JsonValue } from '@loom/shared/json';
import { nearestKey } from '@loom/shared/nearest-key';
import type {
  ToolContext,
  ToolDefinition,
  ToolErrorCode,
  ToolInfo,
  ToolRegistry,
  ToolResult,
} from '@loom/shared/tool';
import { boundOutput } from './bound-output.ts';
import { parseArguments } from './parse-arguments.ts';
import { runBounded } from './run-bounded.ts';
import { stoppedResult, thrownResult } from './tool-failure.ts';
import { toToolSpec } from './tool-spec.ts';

interface RegistryOptions {
  max_output_chars: number;
  /** Hears of every call of a registered tool when it has ended. */
  observe?: (tool: string, outcome: 'ok' | ToolErrorCode, ms: number) => void;
}

// Shows what was kept; to keep that again would help nobody.
const neverKept = 'read_artifact';

/**
 * All tools behind one door: arguments are checked, time and output are bounded, what is too long
 * is kept as an artifact, and whatever goes wrong comes back as an answer the model can act on.
 */
export function createToolRegistry(
  tools: readonly ToolDefinition[],
  options: RegistryOptions,
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

  const { max_output_chars } = options;
  const bounded = (result: ToolResult, artifact: string | null = null): ToolResult => ({
    ...result,
    text: boundOutput(result.text, max_output_chars, artifact),
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
      const { failure, ...output } = run.value;
      return failure === undefined
        ? { ok: true, ...output }
        : { ok: false, error_code: failure, ...output };
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
    once: (name) => byName.get(name)?.tool.once ?? false,
    check: (name, args) => {
      const entry = byName.get(name);
      if (!entry) return bounded(unknownTool(name));
      const parsed = parseArguments(entry.tool, args);
      const problem = parsed.ok ? refusal(entry.tool) : parsed.result;
      return problem && bounded(problem);
    },
    run: async (name, args, context) => {
      const tool = byName.get(name)?.tool;
      if (tool === undefined) return bounded(unknownTool(name));
      const started = performance.now();
      const result = await runTool(tool, args, context);
      const outcome = result.ok ? 'ok' : result.error_code;
      options.observe?.(name, outcome, performance.now() - started);
      const keeps = result.text.length > max_output_chars && name !== neverKept;
      return bounded(result, keeps ? await keepWhole(name, result.text, context) : null);
    },
  };
}

// The result matters more than its artifact: what cannot be kept is cut as ever.
function keepWhole(tool: string, text: string, { keep }: ToolContext): Promise<string | null> {
  const content = Buffer.from(text, 'utf8');
  const name = `${tool}.txt`;
  return keep
    .artifact({ name, kind: 'text', mime: 'text/plain', source: tool, content })
    .catch(() => null);
}
