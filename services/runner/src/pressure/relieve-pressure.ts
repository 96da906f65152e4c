import type { ChatMessage } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import { mergedCalls, mergedTokens } from './merged-exchanges.ts';
import { messageTokens } from './message-tokens.ts';
import { newestExchange } from './newest-exchange.ts';
import { type Cuts, noCuts, type ShortenedView } from './shortened-view.ts';

type PlainStage = 'arguments' | 'outputs' | 'narrative';

/** What has been left out so far, and which stages did not help. */
export interface Compaction {
  cuts: Cuts;
  /** Tries in a row in which a stage gained next to nothing. */
  idle: Readonly<Record<PlainStage, number>>;
}

/** What the next call has to fit into. */
export interface Pressure {
  journal: readonly ChatMessage[];
  view: ShortenedView;
  /** Tokens of what is never shortened and not in the journal: prompt and reminder. */
  fixed: number;
  /** Tokens that messages may take. */
  budget: number;
  /** Real tokens for one estimated. */
  scale: number;
  /** Too little time is left for the stages that rewrite most. */
  hurried: boolean;
  limits: Config['limits']['runner'];
}

export const noCompaction: Compaction = {
  cuts: noCuts,
  idle: { arguments: 0, outputs: 0, narrative: 0 },
};

const stages: readonly PlainStage[] = ['arguments', 'outputs', 'narrative'];
/** Well below the threshold, so that what is sent can stay the same for a while. */
const relief = 0.8;

/** Leaves out as much of the old journal as the policy and the pressure ask for, and never less than before. */
export function relievePressure(before: Compaction, pressure: Pressure): Compaction {
  const { journal, limits } = pressure;
  const mode = limits.runner_compaction_policy_mode;
  const newest = newestExchange(journal);
  if (mode === 'off') return before;
  if (mode === 'legacy') {
    const cuts = { ...before.cuts, arguments: newest, outputs: newest, narrative: newest };
    return { ...before, cuts };
  }
  const soft = softRatio(limits);
  if (ratioOf(before.cuts, pressure) < soft) return before;
  let after = before;
  for (const stage of stages) {
    if (ratioOf(after.cuts, pressure) <= soft * relief) return after;
    if (!(pressure.hurried && stage === 'narrative')) {
      after = tryStage(after, stage, newest, pressure);
    }
  }
  const isCritical = ratioOf(after.cuts, pressure) >= limits.compaction_pressure_ratio_hard;
  return isCritical && !pressure.hurried ? merge(after, newest, pressure) : after;
}

function softRatio(limits: Pressure['limits']): number {
  const { compaction_pressure_ratio_soft, compaction_pressure_ratio_hard } = limits;
  return Math.min(compaction_pressure_ratio_soft, compaction_pressure_ratio_hard);
}

function ratioOf(cuts: Cuts, { view, journal, fixed, scale, budget }: Pressure): number {
  return (scale * (fixed + messageTokens(view(journal, cuts)))) / budget;
}

function tryStage(
  { cuts, idle }: Compaction,
  stage: PlainStage,
  newest: number,
  { view, journal, limits }: Pressure,
): Compaction {
  const { compaction_no_gain_min_delta_chars, compaction_no_gain_attempt_limit } = limits;
  const isUseless = idle[stage] >= compaction_no_gain_attempt_limit;
  if (cuts[stage] >= newest || isUseless) return { cuts, idle };
  const next = { ...cuts, [stage]: newest };
  const gained = (messageTokens(view(journal, cuts)) - messageTokens(view(journal, next))) * 4;
  if (gained < compaction_no_gain_min_delta_chars) {
    return { cuts, idle: { ...idle, [stage]: idle[stage] + 1 } };
  }
  return { cuts: next, idle: { ...idle, [stage]: 0 } };
}

/** Merges the oldest exchanges, as few as are enough; if all of them are not, less is told of them. */
function merge({ cuts, idle }: Compaction, newest: number, pressure: Pressure): Compaction {
  const upTo = Math.max(cuts.merge, enoughExchanges(cuts, newest, pressure));
  const choices = [
    { ...cuts, merge: upTo },
    ...mergedCalls
      .filter((told) => told < cuts.told)
      .map((told) => ({ ...cuts, merge: newest, told })),
  ];
  const hard = pressure.limits.compaction_pressure_ratio_hard;
  const found = choices.find((choice) => ratioOf(choice, pressure) < hard);
  return { cuts: found ?? choices.at(-1) ?? cuts, idle };
}

/** How many lines make up the fewest whole exchanges without which there is room again. */
function enoughExchanges(cuts: Cuts, newest: number, pressure: Pressure): number {
  const { journal, view, limits, budget, scale, fixed } = pressure;
  const shown = view(journal, { ...cuts, merge: 0 });
  const room = (budget * softRatio(limits) * relief) / scale - fixed - mergedTokens(cuts.told);
  let rest = messageTokens(shown);
  for (let place = 0; place < newest; place++) {
    const message = shown[place];
    if (message !== undefined && message.role !== 'user') rest -= messageTokens([message]);
    // Exchanges are merged whole: an answer never stands without its question.
    const isBoundary = journal[place + 1]?.role !== 'tool';
    if (isBoundary && rest <= room) return place + 1;
  }
  return newest;
}
