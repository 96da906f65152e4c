import type { Approval } from '@loom/shared/approval';
import { describeApproval, questionSchema } from '../render-approval.ts';
import { type StreamEvent, textOf } from '../stream-event.ts';
import { turnEndings } from './turn-board.ts';

/** A question that waits for this conversation's people, with its number on the screen. */
export interface OpenQuestion {
  number: number;
  approval_id: string;
  text: string;
  /** The turn that put it; null when a task did. */
  turn_id: string | null;
}

/** The approvals that are open, numbered in the order in which they were heard of. */
export interface OpenQuestions {
  /** Keeps the list true; the answer is the question that the event put, if any. */
  hear(event: StreamEvent): OpenQuestion | null;
  add(approval: Approval): OpenQuestion;
  close(approvalId: string): void;
  list(): OpenQuestion[];
  /** The open question with this number or id. */
  find(word: string): OpenQuestion | null;
}

const closings = ['approval.decided', 'approval.expired'];

/** Starts without a question; a number is never given twice. */
export function createOpenQuestions(): OpenQuestions {
  const open = new Map<string, OpenQuestion>();
  let count = 0;

  const put = (question: Omit<OpenQuestion, 'number'>): OpenQuestion => {
    const known = open.get(question.approval_id);
    if (known !== undefined) return known;
    count += 1;
    const numbered = { number: count, ...question };
    open.set(question.approval_id, numbered);
    return numbered;
  };
  /** Nobody answers what an ended turn has asked. */
  const dropTurn = (turnId: string) => {
    for (const { approval_id, turn_id } of open.values()) {
      if (turn_id === turnId) open.delete(approval_id);
    }
  };

  return {
    hear(event) {
      const approval_id = textOf(event, 'approval_id');
      const turn_id = event.turn_id ?? null;
      if (event.type === 'approval.requested') {
        const text = describeEvent(event);
        return put({ approval_id, text, turn_id: event.task_id ? null : turn_id });
      }
      if (closings.includes(event.type)) open.delete(approval_id);
      if (turnEndings.includes(event.type) && turn_id !== null) dropTurn(turn_id);
      return null;
    },
    add: (approval) =>
      put({
        approval_id: approval.id,
        text: describeApproval(approval),
        turn_id: approval.task_id === null ? approval.turn_id : null,
      }),
    close: (approvalId) => void open.delete(approvalId),
    list: () => [...open.values()],
    find: (word) =>
      [...open.values()].find(
        ({ number, approval_id }) => word === String(number) || word === approval_id,
      ) ?? null,
  };
}

function describeEvent(event: StreamEvent): string {
  const asked = questionSchema.safeParse(event.data);
  if (!asked.success) return 'something waits for an answer';
  return describeApproval({ ...asked.data, subtask_id: event.subtask_id ?? null });
}
