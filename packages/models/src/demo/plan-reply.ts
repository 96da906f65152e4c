import { readBlock } from './read-block.ts';
import { splitGoal } from './split-goal.ts';

interface DemoSubtask {
  id: string;
  description: string;
  depends_on: string[];
  deliverables: string[];
  verification_tier: number;
  is_synthesis: boolean;
}

const fileName = /(?<![\w/.-])([\w-][\w-]*(?:\/[\w-]+)*\.(?:md|txt|json|csv|ya?ml|html))\b/i;

const maxSlug = 40;
const looseEnd = /(?:-(?:an?|the|and|by|for|from|in|of|on|to|with))+$/;

/**
 * The demo planner's answer: one independent subtask an item, and a summary of them all. A plan or
 * phases that the prompt shows are kept as they are.
 */
export function planReply(goal: string, prompt: string): string {
  const subtasks =
    shownSubtasks(prompt, 'PLAN') ?? shownSubtasks(prompt, 'PHASES') ?? planSubtasks(goal);
  return `\`\`\`json\n${JSON.stringify({ subtasks }, null, 2)}\n\`\`\``;
}

function shownSubtasks(prompt: string, block: string): unknown[] | null {
  try {
    const shown: unknown = JSON.parse(readBlock(prompt, block) ?? '');
    const { subtasks } = shown as { subtasks?: unknown };
    return Array.isArray(subtasks) ? subtasks : null;
  } catch {
    return null;
  }
}

function planSubtasks(goal: string): DemoSubtask[] {
  const items = splitGoal(goal);
  const used = new Set(['summary']);
  const usedPaths = new Set(['summary.md']);
  const writers = (items.length === 0 ? ['a note'] : items).map((item, index) => {
    const slug = takeName(toSlug(item) || `item-${index + 1}`, used);
    const named = fileName.exec(item)?.[1];
    const isFree = named !== undefined && !usedPaths.has(named);
    const path = isFree ? named : `${slug}.md`;
    usedPaths.add(path);
    const description = isFree ? `Write ${item}` : `Write ${item} to ${path}`;
    return subtask(slug, description, path);
  });
  if (writers.length === 1) return writers;
  const summary: DemoSubtask = {
    ...subtask('summary', 'Write a summary of all results to summary.md', 'summary.md'),
    depends_on: writers.map(({ id }) => id),
    is_synthesis: true,
  };
  return [...writers, summary];
}

function subtask(id: string, description: string, path: string): DemoSubtask {
  return {
    id,
    description,
    depends_on: [],
    deliverables: [path],
    verification_tier: 2,
    is_synthesis: false,
  };
}

// Ends with a whole word, and one that means something.
function toSlug(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/^(?:an?|the|some)\s+/, '')
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (slug.length <= maxSlug) return slug;
  const words = slug.slice(0, maxSlug + 1).replace(/-[^-]*$/, '');
  return words.slice(0, maxSlug).replace(looseEnd, '');
}

function takeName(wanted: string, used: Set<string>): string {
  let name = wanted;
  for (let copy = 2; used.has(name); copy += 1) name = `${wanted}-${copy}`;
  used.add(name);
  return name;
}
