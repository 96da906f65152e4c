import type { AttemptBrief } from '@loom/db/load-attempt';
import type { Models } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import type { ToolRegistry } from '@loom/shared/tool';
import type { UnitFence } from '@loom/shared/work';
import { executorPrompt } from '../prompts/executor.ts';
import { executorReminder } from '../prompts/executor-reminder.ts';
import type { SentBefore } from './context-pressure.ts';
import { ExecutorCalls } from './executor-calls.ts';

interface Attempt {
  unit: UnitFence;
  brief: AttemptBrief;
  before: SentBefore;
  /** Names of the tools it may call, in the order in which they are told. */
  allowed: ReadonlySet<string>;
}

/** The model calls of an attempt, with what its brief says in front of them. */
export function executorCallsOf(
  { models, config, tools }: { models: Models; config: Config; tools: ToolRegistry },
  { unit, brief, before, allowed }: Attempt,
): ExecutorCalls {
  const mode = config.execution.executor_completion_contract_mode;
  return new ExecutorCalls({
    models,
    config,
    unit_id: unit.unit_id,
    tier: brief.tier,
    tools: tools.specs([...allowed]),
    prompt: executorPrompt(brief, mode),
    reminder: (said) => executorReminder(brief, said, mode),
    before,
  });
}
