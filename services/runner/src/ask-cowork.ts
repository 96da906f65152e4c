import type { TurnBrief } from '@loom/db/load-turn';
import type { ToolExposure } from '@loom/engine/tool-exposure/expose-tools';
import type { UnitSignals } from '@loom/runtime/unit-keeper';
import { AppError } from '@loom/shared/app-error';
import type { ModelReply, Models } from '@loom/shared/chat';
import { faultPoint } from '@loom/shared/fault-point';
import type { SessionState } from '@loom/shared/session-state';
import type { ToolRegistry } from '@loom/shared/tool';
import { offeredTools } from './catalog/offered-tools.ts';
import { coworkWindow } from './cowork-window.ts';
import type { LiveTexts } from './live-text.ts';
import { modelFailure } from './model-failure.ts';
import { parkingToolSpecs } from './turn-tools.ts';

interface CoworkCall {
  models: Models;
  tools: ToolRegistry;
  live: LiveTexts;
  signals: UnitSignals;
  /** Whether words are shown as they come. */
  streaming: boolean;
  brief: TurnBrief;
  state: SessionState;
  /** What users corrected before, as rules. */
  rules: readonly string[];
  exposure: ToolExposure;
  calibration: number;
  more: readonly (string | null)[];
  place: { session_id: string; turn_id: string; call: number };
}

/** A reply, with what we took the question's tokens to be. */
export interface CoworkReply extends ModelReply {
  estimated_tokens: number;
}

/** What we take a model to read of which we know nothing: none small enough to matter is so small. */
const unknownModel = { context_tokens: 32_000, max_output_tokens: 8_192 };

/** One model call of a turn: what fits of the conversation goes in, its words are shown as they come. */
export async function askCowork(call: CoworkCall): Promise<CoworkReply | AppError | 'stopped'> {
  const { brief, models, tools, place } = call;
  const { abort, stop } = call.signals;
  const model = brief.model === null ? {} : { model: brief.model };
  const chosen = models.select({ role: 'cowork', ...model }) ?? unknownModel;
  const specs = offeredTools({
    mode: call.exposure,
    specs: [...tools.specs(tools.list().map(({ name }) => name)), ...parkingToolSpecs],
    messages: brief.recent.map(({ message }) => message),
    context_tokens: chosen.context_tokens,
  });
  const window = coworkWindow({
    ...call,
    turn_id: place.turn_id,
    model: chosen,
    tools: specs,
  });
  if (window instanceof AppError) return window;
  const live = call.live.start(place);
  faultPoint('model.before');
  try {
    const reply = await models.complete({
      role: 'cowork',
      ...model,
      messages: window.messages,
      tools: specs,
      signal: AbortSignal.any([abort, stop]),
      ...(call.streaming ? { on_delta: (text: string) => live.delta(text) } : {}),
    });
    faultPoint('model.after');
    return { ...reply, estimated_tokens: window.tokens };
  } catch (error) {
    if (stop.aborted && !abort.aborted) return 'stopped';
    return modelFailure(error, abort);
  } finally {
    live.end();
  }
}
