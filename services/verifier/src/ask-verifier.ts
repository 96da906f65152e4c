import type { AttemptBrief } from '@loom/db/load-attempt';
import { errorMessage } from '@loom/shared/app-error';
import type { ChatMessage, ModelReply, Models } from '@loom/shared/chat';
import { faultPoint } from '@loom/shared/fault-point';
import type { VerifierReply } from './tier2-verdict.ts';

type Asked = { kind: 'answered'; reply: ModelReply } | Exclude<VerifierReply, { kind: 'answered' }>;

/** Asks a verifier, one other than the executor if there is one. Throws only when aborted. */
export async function askVerifier(
  models: Models,
  brief: Pick<AttemptBrief, 'model' | 'tier'>,
  messages: ChatMessage[],
  signal: AbortSignal,
): Promise<Asked> {
  const wish = {
    role: 'verifier',
    tier: brief.tier,
    ...(brief.model === null ? {} : { avoid_model: brief.model }),
  } as const;
  if (models.select(wish) === null) return { kind: 'no_verifier' };
  faultPoint('model.before');
  try {
    const reply = await models.complete({ ...wish, messages, signal });
    faultPoint('model.after');
    return { kind: 'answered', reply };
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'failed', reason: errorMessage(error) };
  }
}
