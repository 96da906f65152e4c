import type { Database } from '@loom/db/database';
import { loadTaskBrief } from '@loom/db/load-attempt';
import { loadJournal } from '@loom/db/load-journal';
import type { UnitContext } from '@loom/runtime/unit-context';
import { UnitYield } from '@loom/runtime/unit-yield';
import { AppError, errorMessage } from '@loom/shared/app-error';
import type { ChatMessage, Models } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import { faultPoint } from '@loom/shared/fault-point';
import type { TaskInput } from '@loom/shared/task-state';
import type { ClaimedUnit } from '@loom/shared/work';
import { judgeReplies } from './judge-replies.ts';
import { planFeedback, plannerPrompt } from './prompts/planner.ts';

export interface PlannerDeps {
  db: Database;
  models: Models;
  config: Config;
}

/** Planning wants the ablest model there is. */
const plannerTier = 3;

/** Makes a plan for a task: asks, checks the graph, asks again with what is wrong, within bounds. */
export async function handlePlan(
  deps: PlannerDeps,
  unit: ClaimedUnit,
  context: UnitContext,
): Promise<void> {
  const task = await loadTaskBrief(deps.db, unit);
  if (task === null) throw new AppError('internal', `no task for ${unit.unit_id}`);
  const prompt = plannerPrompt(task);
  const journal = unit.epoch === 1 ? [] : await loadJournal(deps.db, unit.unit_id);
  for (;;) {
    context.checkpoint();
    const replies = journal.filter(({ role }) => role === 'assistant');
    const progress = judgeReplies(replies.map(({ content }) => content));
    if (progress.kind !== 'ask') {
      await context.commit({ input: toInput(progress, deps.config) });
      return;
    }
    const feedback = progress.feedback === null ? [] : [planFeedback(progress.feedback.errors)];
    const reply = await ask(deps, context, [...prompt, ...journal, ...feedback]);
    if (reply instanceof AppError) {
      await context.commit({ input: unavailable(reply.message, deps.config) });
      return;
    }
    const lines: ChatMessage[] = [...feedback, { role: 'assistant', content: reply.text }];
    const after = judgeReplies([...replies.map(({ content }) => content), reply.text]);
    const { model, usage } = reply;
    await context.commit({
      journal: lines,
      journal_from: journal.length,
      events: [{ type: 'model.call', data: { role: 'planner', model, ...usage } }],
      usage: { tokens: usage.input_tokens + usage.output_tokens, model_calls: 1, tool_calls: 0 },
      // A plan that holds is accepted in the commit that stores the answer.
      input: after.kind === 'ask' ? null : toInput(after, deps.config),
    });
    if (after.kind !== 'ask') return;
    journal.push(...lines);
  }
}

async function ask(deps: PlannerDeps, context: UnitContext, messages: ChatMessage[]) {
  const { abort, stop } = context.signals;
  faultPoint('model.before');
  try {
    const signal = AbortSignal.any([abort, stop]);
    const reply = await deps.models.complete({
      role: 'planner',
      tier: plannerTier,
      messages,
      signal,
    });
    faultPoint('model.after');
    return reply;
  } catch (error) {
    if (abort.aborted && !stop.aborted) throw new UnitYield('aborted during a model call');
    if (error instanceof AppError) return error;
    return new AppError('model_unavailable', errorMessage(error), { cause: error });
  }
}

function toInput(
  progress: Exclude<ReturnType<typeof judgeReplies>, { kind: 'ask' }>,
  config: Config,
): TaskInput {
  if (progress.kind === 'plan') return { kind: 'plan_made', plan: progress.plan };
  if (progress.kind === 'invalid') return { kind: 'plan_invalid', errors: progress.errors };
  return unavailable('the planner gave no answer that can be read', config);
}

function unavailable(reason: string, config: Config): TaskInput {
  const degrade = config.execution.planner_degraded_mode === 'allow';
  return { kind: 'plan_unavailable', reason, degrade };
}
