import type { Database } from '@loom/db/database';
import type { AttemptBrief } from '@loom/db/load-attempt';
import { loadModelWait } from '@loom/db/load-model-wait';
import { parkForModel } from '@loom/runtime/model-park';
import type { UnitContext, UnitWork } from '@loom/runtime/unit-context';
import { nothingSpent, nothingWanted } from '@loom/shared/budget';
import type { ChatMessage, ModelReply, Models } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import { toStorableText } from '@loom/shared/text';
import type { ClaimedUnit } from '@loom/shared/work';
import { askVerifier, verifierWish } from './ask-verifier.ts';
import { earlyEnd } from './early-end.ts';
import type { VerifierReply } from './tier2-verdict.ts';

interface ContentQuestion {
  unit: ClaimedUnit;
  brief: Pick<AttemptBrief, 'model' | 'tier' | 'model_parks'>;
  prompt: ChatMessage[];
  signal: AbortSignal;
}

type Judged =
  /** What a verifier said, or why none did, and what is stored with the verdict. */
  | { kind: 'now'; reply: VerifierReply; record: UnitWork }
  /** The unit ends here, or goes on another time. */
  | { kind: 'later'; work: UnitWork };

/** Tier 2: has a model judge the content, if there is one, the budget allows it and it is not busy. */
export async function judgeContent(
  { db, models, config }: { db: Database; models: Models; config: Config },
  { unit, brief, prompt, signal }: ContentQuestion,
  context: UnitContext,
): Promise<Judged> {
  const wish = verifierWish(models, brief);
  if (wish === null) return without({ kind: 'no_verifier' });
  if (unit.metered) {
    const signs = await context.commit({ wants: { ...nothingWanted, model_calls: 1 } });
    const end = earlyEnd(unit, signs);
    if (end !== null) return { kind: 'later', work: end };
    if (!signs.granted) return without({ kind: 'no_budget' });
  }
  const on_retry = context.noteRetry('verifier');
  const asked = await askVerifier(models, wish, prompt, { signal, on_retry });
  if (asked.kind === 'answered') {
    const reply = { kind: 'answered', text: asked.reply.text } as const;
    return { kind: 'now', reply, record: recordOf(asked.reply) };
  }
  if (asked.kind === 'failed') return without(asked);
  const parked_seconds = await loadModelWait(db, unit, 'verifier');
  const { model_parks } = brief;
  const work = parkForModel(config, asked.error, { role: 'verifier', parked_seconds, model_parks });
  if (work === null) return without({ kind: 'failed', reason: asked.error.message });
  return { kind: 'later', work };
}

function without(reply: VerifierReply): Judged {
  return { kind: 'now', reply, record: {} };
}

function recordOf({ text, model, usage, cost_micros }: ModelReply): UnitWork {
  return {
    journal: [{ role: 'assistant', content: toStorableText(text) }],
    events: [{ type: 'model.call', data: { role: 'verifier', model, ...usage } }],
    spent: {
      ...nothingSpent,
      tokens: usage.input_tokens + usage.output_tokens,
      cost_micros,
      model_calls: 1,
    },
  };
}
