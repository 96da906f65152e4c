import type { Database } from '@loom/db/database';
import { type AttemptBrief, loadAttempt } from '@loom/db/load-attempt';
import { loadJournal } from '@loom/db/load-journal';
import type { UnitContext, UnitWork } from '@loom/runtime/unit-context';
import { UnitYield } from '@loom/runtime/unit-yield';
import { AppError } from '@loom/shared/app-error';
import type { Models } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import { faultPoint } from '@loom/shared/fault-point';
import { toStorableText } from '@loom/shared/text';
import type { Verdict } from '@loom/shared/verdict';
import type { ClaimedUnit } from '@loom/shared/work';
import type { ShellOptions } from '@loom/tools/sandbox/shell-options';
import { askVerifier } from './ask-verifier.ts';
import { verifierPrompt } from './prompts/verifier.ts';
import { runChecks } from './run-checks.ts';
import { storableVerdict } from './storable-verdict.ts';
import { tier1Verdict } from './tier1-verdict.ts';
import { tier2Verdict } from './tier2-verdict.ts';

export interface VerifierDeps {
  db: Database;
  models: Models;
  config: Config;
  shell: ShellOptions;
}

/** Judges one attempt: the checks first, a model where that is asked for, then one commit. */
export async function handleVerification(
  deps: VerifierDeps,
  unit: ClaimedUnit,
  context: UnitContext,
): Promise<void> {
  const attempt = { subtask_id: unit.subtask_id ?? '', attempt: unit.attempt ?? 0 };
  const { abort, stop } = context.signals;
  let judged: Judged;
  try {
    judged = await judge(deps, unit, context);
  } catch (error) {
    if (stop.aborted) {
      await context.commit({ input: { kind: 'attempt_cancelled', ...attempt } });
      return;
    }
    if (abort.aborted) throw new UnitYield('aborted during a verification');
    throw error;
  }
  const { verdict, ...record } = judged;
  faultPoint('verdict.before');
  await context.commit({
    ...record,
    input: { kind: 'verdict_given', ...attempt, verdict: storableVerdict(verdict) },
  });
}

/** A verdict, and what is stored with it. */
type Judged = { verdict: Verdict } & Pick<UnitWork, 'journal' | 'events' | 'usage'>;

async function judge(
  { db, models, config, shell }: VerifierDeps,
  unit: ClaimedUnit,
  context: UnitContext,
): Promise<Judged> {
  const signal = AbortSignal.any([context.signals.abort, context.signals.stop]);
  const [brief, journal] = await Promise.all([
    loadAttempt(db, unit),
    // A first claim has no past to read.
    unit.epoch === 1 ? [] : loadJournal(db, unit.unit_id),
  ]);
  if (brief === null) throw new AppError('internal', `no attempt for ${unit.unit_id}`);
  const { spec, calls, files_changed, task } = brief;
  signal.throwIfAborted();
  const { checks, files } = await runChecks(
    { spec, calls, files_changed, workspace: task.workspace },
    { shell, signal, key: unit.unit_id },
  );
  const tier1 = tier1Verdict(checks);
  if (tier1.outcome === 'fail' || !wantsModel(spec, config)) return { verdict: tier1 };

  const stored = journal.find(({ role }) => role === 'assistant');
  if (stored !== undefined) {
    return { verdict: tier2Verdict(tier1, { kind: 'answered', text: stored.content }) };
  }
  context.checkpoint();
  signal.throwIfAborted();
  const prompt = verifierPrompt({ brief, calls, checks, files });
  const asked = await askVerifier(models, brief, prompt, signal);
  if (asked.kind !== 'answered') return { verdict: tier2Verdict(tier1, asked) };
  const { text, model, usage } = asked.reply;
  return {
    verdict: tier2Verdict(tier1, { kind: 'answered', text }),
    journal: [{ role: 'assistant', content: toStorableText(text) }],
    events: [{ type: 'model.call', data: { role: 'verifier', model, ...usage } }],
    usage: { tokens: usage.input_tokens + usage.output_tokens, model_calls: 1, tool_calls: 0 },
  };
}

/** Tier 2 where it is asked for; a synthesis is always read by someone. */
function wantsModel(spec: AttemptBrief['spec'], config: Config): boolean {
  return config.verification.tier2_enabled && (spec.verification_tier >= 2 || spec.is_synthesis);
}
