import { setTimeout as delay } from 'node:timers/promises';
import type { ModelInfo, Models } from '@loom/shared/chat';
import { modelRoles } from '@loom/shared/chat';

/** What a bench model is to do; plain data, so that a worker process can be told. */
export interface BenchModelOptions {
  /** How long each call takes; 0 answers at once. */
  delay_ms: number;
  /** So many independent subtasks in every plan. */
  subtasks: number;
  /** Whether a last subtask waits for all others. */
  synthesis: boolean;
}

/** A model without a network: plans when it is asked to plan, says that it is done otherwise. */
export function createBenchModels(options: BenchModelOptions): Models {
  const plan = writePlan(options);
  const info: ModelInfo = {
    name: 'bench',
    provider: 'bench',
    model: 'bench',
    roles: [...modelRoles],
    tier: 2,
    context_tokens: 128_000,
    max_output_tokens: 8_192,
    is_demo: false,
  };
  return {
    complete: async ({ role }) => {
      if (options.delay_ms > 0) await delay(options.delay_ms);
      return {
        text: role === 'planner' ? plan : 'The part is done.',
        tool_calls: [],
        usage: { input_tokens: 100, output_tokens: 20 },
        model: info.name,
        cost_micros: 0,
      };
    },
    list: () => [info],
    select: () => info,
  };
}

function writePlan({ subtasks, synthesis }: BenchModelOptions): string {
  const parts = Array.from({ length: subtasks }, (_, index) => ({
    id: `part-${index + 1}`,
    description: `Do part ${index + 1} of the work.`,
  }));
  const last = {
    id: 'summary',
    description: 'Put the parts together.',
    depends_on: parts.map(({ id }) => id),
    is_synthesis: true,
  };
  return JSON.stringify({ subtasks: synthesis ? [...parts, last] : parts });
}
