import type { Database } from '@loom/db/database';
import { type AttemptBrief, loadAttempt, readableRoots } from '@loom/db/load-attempt';
import { loadJournal } from '@loom/db/load-journal';
import type { UnitContext, UnitWork } from '@loom/runtime/unit-context';
import { UnitYield } from '@loom/runtime/unit-yield';
import { AppError } from '@loom/shared/app-error';
import type { Models } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import { faultPoint } from '@loom/shared/fault-point';
import type { Verdict } from '@loom/shared/verdict';
import type { ClaimedUnit } from '@loom/shared/work';
import type { ShellOptions } from '@loom/tools/sandbox/shell-options';
import { confidenceSignals } from './confidence-signals.ts';
import { attemptOf, earlyEnd } from './early-end.ts';
import { judgeContent } from './judge-content.ts';
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
  const { abort, stop } = context.signals;
  let work: UnitWork;
  try {
    work = await verify(deps, unit, context);
  } catch (error) {
    if (!stop.aborted) {
      if (abort.aborted) throw new UnitYield('aborted during a verification');
      throw error;
    }
    work = { input: { kind: 'attempt_cancelled', ...attemptOf(unit) } };
  }
  if (work.input?.kind === 'verdict_given') faultPoint('verdict.before');
  await context.commit(work);
}

/** What the verification comes to: a verdict with what is stored beside it, or a wait. */
async function verify(
  deps: VerifierDeps,
  unit: ClaimedUnit,
  context: UnitContext,
): Promise<UnitWork> {
  const { db, config, shell } = deps;
  const signal = AbortSignal.any([context.signals.abort, context.signals.stop]);
  const [brief, journal] = await Promise.all([
    loadAttempt(db, unit),
    // A first claim has no past to read.
    unit.epoch === 1 ? [] : loadJournal(db, unit.unit_id),
  ]);
  if (brief === null) throw new AppError('internal', `no attempt for ${unit.unit_id}`);
  const end = earlyEnd(unit, brief);
  if (end !== null) return end;
  const { spec, calls, files_changed } = brief;
  const { workspace } = brief.task;
  const read_roots = readableRoots(brief.task, brief.granted);
  signal.throwIfAborted();
  const { checks, files } = await runChecks(
    { spec, calls, files_changed, workspace, read_roots },
    { shell, signal, key: unit.unit_id },
  );
  const give = (verdict: Verdict): UnitWork => ({
    input: {
      kind: 'verdict_given',
      ...attemptOf(unit),
      verdict: storableVerdict(verdict),
      signals: confidenceSignals(verdict, checks, calls),
    },
  });
  const tier1 = tier1Verdict(checks);
  if (tier1.outcome === 'fail' || !wantsModel(spec, config)) return give(tier1);
  const stored = journal.find(({ role }) => role === 'assistant');
  if (stored !== undefined) {
    return give(tier2Verdict(tier1, { kind: 'answered', text: stored.content }));
  }
  context.checkpoint();
  signal.throwIfAborted();
  const prompt = verifierPrompt({ brief, calls, checks, files });
  const judged = await judgeContent(deps, { unit, brief, prompt, signal }, context);
  if (judged.kind === 'later') return judged.work;
  return { ...judged.record, ...give(tier2Verdict(tier1, judged.reply)) };
}

/** Tier 2 where it is asked for; a synthesis is always read by someone. */
function wantsModel(spec: AttemptBrief['spec'], config: Config): boolean {
  return config.verification.tier2_enabled && (spec.verification_tier >= 2 || spec.is_synthesis);
}
