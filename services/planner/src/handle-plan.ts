import type { Database } from '@loom/db/database';
import { loadJournal } from '@loom/db/load-journal';
import { loadModelWait } from '@loom/db/load-model-wait';
import { loadPlanBrief, type PlanBrief } from '@loom/db/load-plan-brief';
import { parkForModel } from '@loom/runtime/model-park';
import type { UnitContext, UnitWork } from '@loom/runtime/unit-context';
import { UnitYield } from '@loom/runtime/unit-yield';
import { AppError, errorMessage } from '@loom/shared/app-error';
import { nothingSpent, nothingWanted } from '@loom/shared/budget';
import type { ChatMessage, ModelReply, Models } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import type { NewEvent } from '@loom/shared/events';
import { faultPoint } from '@loom/shared/fault-point';
import type { TaskInput } from '@loom/shared/task-state';
import type { ClaimedUnit, WorkSigns } from '@loom/shared/work';
import { judgeReplies, type PlannerProgress } from './judge-replies.ts';
import { fixedPlan, planRules } from './plan-rules.ts';
import { planFeedback, plannerPrompt } from './prompts/planner.ts';
import { replannerPrompt } from './prompts/replanner.ts';

export interface PlannerDeps {
  db: Database;
  models: Models;
  config: Config;
}

/** Planning wants the ablest model there is. */
const plannerTier = 3;

/** Makes a plan, or a new version of one, unless the policy prescribes it. */
export async function handlePlan(
  deps: PlannerDeps,
  unit: ClaimedUnit,
  context: UnitContext,
): Promise<void> {
  const brief = await loadPlanBrief(deps.db, unit);
  if (brief === null) throw new AppError('internal', `no task for ${unit.unit_id}`);
  const attempt = unit.attempt ?? brief.plan_attempts;
  const fixed = fixedPlan(brief);
  const work: UnitWork =
    fixed === null
      ? await askForPlan(deps, unit, context, brief)
      : { input: { kind: 'plan_made', attempt, plan: fixed } };
  await context.commit(work);
}

/** Asks, checks the graph, asks again with what is wrong, within bounds; what it comes to is not yet committed. */
async function askForPlan(
  deps: PlannerDeps,
  unit: ClaimedUnit,
  context: UnitContext,
  brief: PlanBrief,
): Promise<UnitWork> {
  const attempt = unit.attempt ?? brief.plan_attempts;
  // The claim asked for the first call; but the task may have been paused or stopped before it.
  const early = endOf({ ...brief, granted: true }, attempt);
  if (early !== null) return early;
  const rules = planRules(brief);
  const prompt = brief.plan_version === 0 ? plannerPrompt(brief) : replannerPrompt(brief);
  const journal = unit.epoch === 1 ? [] : await loadJournal(deps.db, unit.unit_id);
  let { model_parks } = brief;
  for (;;) {
    context.checkpoint();
    const progress = judgeReplies(answersIn(journal), rules);
    if (progress.kind !== 'ask') return { input: toInput(progress, attempt) };
    const feedback = progress.feedback === null ? [] : [planFeedback(progress.feedback.errors)];
    const reply = await ask(deps, context, [...prompt, ...journal, ...feedback]);
    if (reply instanceof AppError) {
      const parked = await awaitModel(deps, unit, reply, model_parks);
      return parked ?? { input: unavailable(reply.message, attempt) };
    }
    const lines: ChatMessage[] = [...feedback, { role: 'assistant', content: reply.text }];
    const record = { journal: lines, journal_from: journal.length, ...recordOf(reply) };
    const after = judgeReplies(answersIn([...journal, ...lines]), rules);
    if (after.kind !== 'ask') {
      // A plan that holds is accepted in the commit that stores the answer.
      const heard = after.kind === 'plan' ? acknowledgements(brief) : [];
      return { ...record, events: [...record.events, ...heard], input: toInput(after, attempt) };
    }
    const wants = unit.metered ? { ...nothingWanted, model_calls: 1 } : null;
    const end = endOf(await context.commit({ ...record, wants }), attempt);
    if (end !== null) return end;
    journal.push(...lines);
    model_parks = 0;
  }
}

function answersIn(journal: readonly ChatMessage[]): string[] {
  return journal.filter(({ role }) => role === 'assistant').map(({ content }) => content);
}

function recordOf({ model, usage, cost_micros }: ModelReply) {
  const events: NewEvent[] = [{ type: 'model.call', data: { role: 'planner', model, ...usage } }];
  const tokens = usage.input_tokens + usage.output_tokens;
  return { events, spent: { ...nothingSpent, tokens, cost_micros, model_calls: 1 } };
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
      on_retry: context.noteRetry('planner'),
    });
    faultPoint('model.after');
    return reply;
  } catch (error) {
    if (abort.aborted && !stop.aborted) throw new UnitYield('aborted during a model call');
    if (error instanceof AppError) return error;
    return new AppError('model_unavailable', errorMessage(error), { cause: error });
  }
}

/** A model that asks for patience gets it, without a worker; null for any other failure. */
async function awaitModel(
  { db, config }: PlannerDeps,
  unit: ClaimedUnit,
  error: AppError,
  model_parks: number,
): Promise<UnitWork | null> {
  if (error.code !== 'model_rate_limited') return null;
  const parked_seconds = await loadModelWait(db, unit, 'planner');
  const work = parkForModel(config, error, { role: 'planner', parked_seconds, model_parks });
  if (work === null) return null;
  // A plan has no subtask to stand for it in the log, so its attempt is named here.
  const events = work.events.map((event) => ({ ...event, attempt: unit.attempt ?? 0 }));
  return { ...work, events };
}

/** How planning ends although there is more to ask; null when it may go on. */
function endOf(
  signs: Pick<WorkSigns, 'stopping' | 'pausing' | 'granted'>,
  attempt: number,
): UnitWork | null {
  if (signs.stopping) return { input: unavailable('the task was asked to stop', attempt) };
  if (signs.pausing) return { park: { reason: 'pause', seconds: null } };
  if (signs.granted) return null;
  return {
    input: unavailable('budget_exhausted: it allows no further call to a planner', attempt),
  };
}

/** What a person said to the whole task is heard once a plan takes it in. */
function acknowledgements({ guidance, acknowledged }: PlanBrief): NewEvent[] {
  return guidance
    .filter(({ id, subtask_id }) => subtask_id === null && !acknowledged.includes(id))
    .map(({ id }) => ({
      type: 'task.steer_acknowledged',
      data: { receipt_id: id, by: 'planner' },
    }));
}

function toInput(progress: Exclude<PlannerProgress, { kind: 'ask' }>, attempt: number): TaskInput {
  if (progress.kind === 'plan') return { kind: 'plan_made', attempt, plan: progress.plan };
  if (progress.kind === 'invalid')
    return { kind: 'plan_invalid', attempt, errors: progress.errors };
  return unavailable('the planner gave no answer that can be read', attempt);
}

function unavailable(reason: string, attempt: number): TaskInput {
  return { kind: 'plan_unavailable', attempt, reason };
}
