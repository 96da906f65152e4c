import { toolCategory } from '@loom/engine/tool-exposure/known-tools';
import { wordsOf } from '@loom/engine/tool-exposure/words-of';
import type { ToolInfo } from '@loom/shared/tool';

/** What is looked for; without anything, all tools are. */
interface CatalogQuery {
  query?: string | undefined;
  category?: string | undefined;
}

/** The tools that a query is about: those with most of its words first, else in the catalog's order. */
export function searchCatalog(tools: readonly ToolInfo[], wanted: CatalogQuery): ToolInfo[] {
  const category = wanted.category?.trim().toLowerCase();
  const inCategory = tools.filter(
    ({ name }) => category === undefined || toolCategory(name).toLowerCase() === category,
  );
  if (wanted.query === undefined) return inCategory;
  const query = wanted.query.trim().toLowerCase();
  const words = [...wordsOf(query)];
  return inCategory
    .map((tool) => ({ tool, score: scoreOf(tool, query, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

/** A word of the name says more than one of the description, and part of the name more than either. */
function scoreOf(tool: ToolInfo, query: string, words: readonly string[]): number {
  const name = wordsOf(`${tool.name} ${toolCategory(tool.name)}`);
  const described = wordsOf(tool.description);
  const scores = words.map((word) => (name.has(word) ? 3 : described.has(word) ? 1 : 0));
  const isPart = tool.name.toLowerCase().includes(query) ? 100 : 0;
  return scores.reduce((sum: number, score) => sum + score, isPart);
}
