import type { Database } from '@loom/db/database';
import { finishExtraction, parkExtraction } from '@loom/db/memory/end-extraction';
import {
  type CountedBudget,
  type ExtractionBrief,
  loadExtraction,
} from '@loom/db/memory/load-extraction';
import { modelParkSeconds } from '@loom/runtime/model-park';
import type { UnitContext } from '@loom/runtime/unit-context';
import { LostUnit } from '@loom/runtime/unit-yield';
import { AppError } from '@loom/shared/app-error';
import type { ChatMessage, ModelReply, Models } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import { faultPoint } from '@loom/shared/fault-point';
import type { Logger } from '@loom/shared/logger';
import type { NewMemory } from '@loom/shared/memory';
import type { ClaimedUnit } from '@loom/shared/work';
import { isModelAway, modelFailure } from './model-failure.ts';
import { parseExtraction } from './parse-extraction.ts';
import { extractorFeedback, extractorPrompt, extractorPromptId } from './prompts/extractor.ts';

interface ExtractionDeps {
  db: Database;
  models: Models;
  config: Config;
  logger: Logger;
}

interface Outcome {
  entries: NewMemory[];
  cost: { tokens: number; cost_micros: number };
  /** Why there is nothing, when something was to be had. */
  failure: AppError | null;
}

/** Answers that cannot be read are asked for once more. */
const maxTries = 2;

/**
 * Has a model note what a finished subtask taught, and stores it. Nothing waits for this and nothing
 * fails with it: whatever goes wrong for good leaves no entries, and a line in the process's log.
 */
export async function handleExtraction(
  deps: ExtractionDeps,
  unit: ClaimedUnit,
  context: Pick<UnitContext, 'signals' | 'checkpoint'>,
): Promise<void> {
  const { db, models, config, logger } = deps;
  context.checkpoint();
  const brief = await loadExtraction(db, unit);
  const wanted =
    brief !== null &&
    models.select({ role: 'extractor' }) !== null &&
    !brief.budgets.some(isUsedUp);
  const { entries, cost, failure } = wanted
    ? await extract(deps, brief, context.signals.abort)
    : { entries: [], cost: nothing, failure: null };
  const seconds = brief && failure && parkSeconds(config, failure, brief);
  if (failure !== null && seconds === null) {
    const { code, message } = failure;
    logger.warn({ unit: unit.unit_id, code, prompt: extractorPromptId }, `not learnt: ${message}`);
  }
  const kept =
    seconds === null
      ? await finishExtraction(db, unit, { entries, cost })
      : await parkExtraction(db, unit, { seconds, cost });
  if (!kept) throw new LostUnit(unit.unit_id);
}

const nothing = { tokens: 0, cost_micros: 0 };

async function extract(
  { models, config }: ExtractionDeps,
  brief: ExtractionBrief,
  signal: AbortSignal,
): Promise<Outcome> {
  const max = config.memory.extraction_max_entries;
  const messages = extractorPrompt(brief, max);
  let cost = nothing;
  for (let left = maxTries; left > 0; left -= 1) {
    const reply = await ask(models, messages, signal);
    if (reply instanceof AppError) return { entries: [], cost, failure: reply };
    const { text, usage, cost_micros } = reply;
    cost = {
      tokens: cost.tokens + usage.input_tokens + usage.output_tokens,
      cost_micros: cost.cost_micros + cost_micros,
    };
    const entries = parseExtraction(text, max);
    if (entries !== null) return { entries, cost, failure: null };
    messages.push({ role: 'assistant', content: text }, extractorFeedback);
  }
  const failure = new AppError('model_bad_reply', 'The extractor gave no answer that can be read.');
  return { entries: [], cost, failure };
}

async function ask(
  models: Models,
  messages: ChatMessage[],
  signal: AbortSignal,
): Promise<ModelReply | AppError> {
  faultPoint('model.before');
  try {
    const reply = await models.complete({ role: 'extractor', messages: [...messages], signal });
    faultPoint('model.after');
    return reply;
  } catch (error) {
    return modelFailure(error, signal);
  }
}

/** Whether a budget of tokens or money has nothing left; calls of extractors are not counted. */
function isUsedUp({ limits, tokens, cost_micros }: CountedBudget): boolean {
  const { max_tokens = 0, max_cost_usd = 0 } = limits;
  return (
    (max_tokens > 0 && tokens >= max_tokens) ||
    (max_cost_usd > 0 && cost_micros >= max_cost_usd * 1_000_000)
  );
}

/** How long to leave a model alone that is away; null when it is not, or the patience is used up. */
function parkSeconds(
  config: Config,
  failure: AppError,
  { parked_seconds, model_parks }: ExtractionBrief,
): number | null {
  if (!isModelAway(failure)) return null;
  const seconds = modelParkSeconds(config, failure, model_parks);
  return parked_seconds + seconds > config.execution.max_parked_seconds ? null : seconds;
}
