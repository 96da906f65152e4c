import type { ChatMessage } from './chat.ts';
import type { NewEvent } from './events.ts';
import type { QueueName } from './queues.ts';
import type { TaskInput } from './task-state.ts';
import type { ToolEffect } from './tool.ts';

/** A claim's proof: every later write of its owner carries it, and is refused once it is stale. */
export interface UnitFence {
  unit_id: string;
  epoch: number;
}

/** A unit that this process owns until it finishes, releases or loses it. */
export interface ClaimedUnit extends UnitFence {
  queue: QueueName;
  tenant_id: string;
  task_id: string | null;
  subtask_id: string | null;
  attempt: number | null;
  session_id: string | null;
  turn_id: string | null;
}

/** One line of the ledger of tool calls. */
export interface LedgerEntry {
  key: string;
  tool: string;
  effect: ToolEffect;
  arguments: unknown;
  status: 'intent' | 'done' | 'failed' | 'in_doubt';
  result: string | null;
  exit_code: number | null;
  files_changed: string[];
}

export interface Usage {
  tokens: number;
  model_calls: number;
  tool_calls: number;
}

/** Something a worker or a person adds to a task. Committed in sets; see commit-tasks. */
export type TaskChange =
  /** A job arrived: take the unit if it still waits in this epoch. */
  | { kind: 'claim'; task_id: string; unit_id: string; epoch: number }
  /** The owner of a unit made progress, or finished it with an input for the engine. */
  | {
      kind: 'work';
      task_id: string;
      fence: UnitFence;
      /** Journal lines, numbered from `journal_from`. */
      journal: ChatMessage[];
      journal_from: number;
      ledger: LedgerEntry[];
      events: NewEvent[];
      usage: Usage;
      /** The configured model that answered, kept with the attempt. */
      model: string | null;
      /** Present: the unit is done, and this is what it means. */
      input: TaskInput | null;
    }
  /** Someone outside asks for something. */
  | { kind: 'control'; task_id: string; tenant_id: string; input: TaskInput };

export type TaskChangeResult =
  /** `stopping`: someone asked the task to stop; wrap up. */
  | { outcome: 'applied'; stopping: boolean }
  | { outcome: 'claimed'; unit: ClaimedUnit }
  /** The unit had been started too often without progress; it will not be started again. */
  | { outcome: 'dead'; reason: string }
  /** Not the owner (any more), or nothing there: nothing was written. */
  | { outcome: 'refused' };
