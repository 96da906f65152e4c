import type { Database } from '@loom/db/database';
import { loadDeeds } from '@loom/db/load-attempt';
import { loadGuidance } from '@loom/db/load-guidance';
import type { UnitWork } from '@loom/runtime/unit-context';
import type { ChatMessage } from '@loom/shared/chat';
import type { ClaimedUnit } from '@loom/shared/work';
import { attemptEnd } from '../attempt-end.ts';
import { oneModelCall } from '../call-wants.ts';
import { newlyHeard } from '../heard-guidance.ts';
import type { ContractMode } from '../prompts/executor.ts';
import { judgeCompletion } from './judge-completion.ts';

interface Closing {
  text: string;
  mode: ContractMode;
  /** The journal before the text. */
  journal: readonly ChatMessage[];
}

type ClosingWork = Required<Pick<UnitWork, 'journal' | 'events' | 'input' | 'wants'>>;

/** What a text without calls adds to its attempt: its end, its failure, the question for a better ending, or what is to be heard first. */
export async function closingWork(
  db: Database,
  unit: ClaimedUnit,
  { text, mode, journal }: Closing,
): Promise<ClosingWork> {
  const work: ClosingWork = { journal: [], events: [], input: null, wants: null };
  const anyCalls = journal.some(({ role }) => role === 'tool');
  const [guidance, deeds] = await Promise.all([
    loadGuidance(db, unit),
    anyCalls ? loadDeeds(db, unit) : { files_changed: [], discoveries: [] },
  ]);
  // Whoever spoke while the model wrote its last text is heard before the attempt ends.
  const heard = newlyHeard(journal, guidance, unit.subtask_id ?? '');
  if (heard !== null) return { ...work, ...heard, wants: oneModelCall };
  const judged = judgeCompletion(text, mode, journal);
  const missing = (problem: string): ClosingWork['events'] => [
    { type: 'completion.missing', data: { mode, problem } },
  ];
  if (judged.kind === 'correct') {
    const { message, problem } = judged;
    return { ...work, journal: [message], events: missing(problem), wants: oneModelCall };
  }
  if (judged.kind === 'fail') {
    const { code, message } = judged.failure;
    const { subtask_id, attempt } = unit;
    const ref = { subtask_id: subtask_id ?? '', attempt: attempt ?? 0 };
    return { ...work, input: { kind: 'attempt_failed', ...ref, failure: { code, message } } };
  }
  const input = attemptEnd(unit, judged, deeds);
  return { ...work, events: judged.warning === null ? [] : missing(judged.warning), input };
}
