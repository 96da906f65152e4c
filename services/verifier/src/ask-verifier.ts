import type { AttemptBrief } from '@loom/db/load-attempt';
import { AppError, errorMessage } from '@loom/shared/app-error';
import type { ChatMessage, ModelReply, ModelRequest, Models } from '@loom/shared/chat';
import { faultPoint } from '@loom/shared/fault-point';

type Asked =
  | { kind: 'answered'; reply: ModelReply }
  /** The verifier asks for patience. */
  | { kind: 'limited'; error: AppError }
  | { kind: 'failed'; reason: string };

/** The model to judge an attempt with, one other than the executor's if there is one; null without a verifier. */
export function verifierWish(models: Models, brief: Pick<AttemptBrief, 'model' | 'tier'>) {
  const wish = {
    role: 'verifier',
    tier: brief.tier,
    ...(brief.model === null ? {} : { avoid_model: brief.model }),
  } as const;
  return models.select(wish) === null ? null : wish;
}

/** Asks a verifier. Throws only when aborted. */
export async function askVerifier(
  models: Models,
  wish: NonNullable<ReturnType<typeof verifierWish>>,
  messages: ChatMessage[],
  { signal, on_retry }: Pick<ModelRequest, 'on_retry'> & { signal: AbortSignal },
): Promise<Asked> {
  faultPoint('model.before');
  try {
    const reply = await models.complete({ ...wish, messages, signal, on_retry });
    faultPoint('model.after');
    return { kind: 'answered', reply };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof AppError && error.code === 'model_rate_limited') {
      return { kind: 'limited', error };
    }
    return { kind: 'failed', reason: errorMessage(error) };
  }
}
