import { coreTools, essentialTools, fallbackTools, knownTools } from './known-tools.ts';
import { type ToolChoice, type ToolIntent, toolTier } from './tool-tier.ts';

export type ToolExposure = 'full' | 'adaptive' | 'hybrid';

/** Schemas that a call gets besides the way to all others. */
export const maxExposedTools = 16;
/** Size of all schemas of a call. */
export const maxExposedBytes = 12 * 1_024;

/**
 * The names of the tools whose schemas the next model call gets. It says nothing about what may be
 * called. The list begins with what every list has, and the rest stands in a fixed order, so that
 * a provider can keep it from call to call; small talk gets that beginning alone.
 */
export function exposeTools(params: {
  mode: ToolExposure;
  tools: readonly ToolChoice[];
  intent: ToolIntent;
  /** Less than usual for a model that can read little. */
  max_bytes?: number;
}): string[] {
  const { mode, intent, max_bytes = maxExposedBytes } = params;
  const tools = [...params.tools].sort(byPlace);
  if (mode === 'full') return tools.map(({ name }) => name);
  const isFallback = ({ name }: ToolChoice) => includes(fallbackTools, name);
  const fallback = mode === 'hybrid' ? tools.filter(isFallback) : [];
  const core = tools.filter(({ name }) => includes(coreTools, name));
  const always = [...core, ...fallback];
  if (intent.small_talk) return always.map(({ name }) => name);
  const others = tools.filter((tool) => !core.includes(tool) && !isFallback(tool));
  const most = { count: maxExposedTools - core.length, bytes: max_bytes - bytesOf(always) };
  const taken = takeLikeliest(others, intent, most);
  return [...always, ...taken.sort(byPlace)].map(({ name }) => name);
}

/** One that is too large leaves its place to those behind it. */
function takeLikeliest(
  tools: readonly ToolChoice[],
  intent: ToolIntent,
  most: { count: number; bytes: number },
): ToolChoice[] {
  const tierOf = toolTier(intent);
  const ranked = tools
    .map((tool) => ({ tool, tier: isEssential(tool) ? -1 : tierOf(tool) }))
    .sort((a, b) => a.tier - b.tier || byPlace(a.tool, b.tool));
  const taken: ToolChoice[] = [];
  let bytes = 0;
  for (const { tool } of ranked) {
    if (taken.length >= most.count) break;
    if (bytes + tool.schema_bytes > most.bytes) continue;
    bytes += tool.schema_bytes;
    taken.push(tool);
  }
  return taken;
}

const places = new Map(Object.keys(knownTools).map((name, place) => [name, place]));

/** Our own in their order, then all others by name: whatever order they were found in. */
function byPlace(a: ToolChoice, b: ToolChoice): number {
  const placeOf = ({ name }: ToolChoice) => places.get(name) ?? places.size;
  const byName = a.name < b.name ? -1 : 1;
  return placeOf(a) - placeOf(b) || (a.name === b.name ? 0 : byName);
}

function isEssential({ name }: ToolChoice): boolean {
  return includes(essentialTools, name);
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

function bytesOf(tools: readonly ToolChoice[]): number {
  return tools.reduce((sum, { schema_bytes }) => sum + schema_bytes, 0);
}
