import type { Spent, Wants } from './budget.ts';
import type { ChatMessage } from './chat.ts';
import type { NewEvent } from './events.ts';
import type { QueueName } from './queues.ts';
import type { Discovery, Guidance, TaskInput } from './task-state.ts';
import type { FileAfter, ToolEffect } from './tool.ts';

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
  /** Some budget limits its calls: it asks before it makes them. */
  metered: boolean;
}

/** Why a unit gives its worker back without being finished. */
export type ParkReason = 'model' | 'approval' | 'pause';

/** One line of the ledger of tool calls. */
export interface LedgerEntry {
  key: string;
  tool: string;
  effect: ToolEffect;
  arguments: unknown;
  status: 'intent' | 'done' | 'failed' | 'in_doubt';
  result: string | null;
  exit_code: number | null;
  /** Files that the call created, changed or removed, as it left them. */
  changes: FileAfter[];
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
      spent: Spent;
      /** Tools called, for the action log. */
      actions: string[];
      /** What a metered unit wants to do next; null when nothing, or nothing is limited. */
      wants: Wants | null;
      /** The configured model that answered, kept with the attempt. */
      model: string | null;
      /** Present: this is what it means for the task. The unit is done unless it parks. */
      input: TaskInput | null;
      /** Present: the unit gives its worker back, for at least this long or until it is woken. */
      park: { reason: ParkReason; seconds: number | null } | null;
    }
  /** Someone outside asks for something. */
  | { kind: 'control'; task_id: string; tenant_id: string; input: TaskInput };

/** What the owner of a unit learns with each of its writes. */
export interface WorkSigns {
  /** Someone asked the task or this subtask to stop, or the plan changed under it: wrap up. */
  stopping: boolean;
  /** Someone paused the task or this subtask: park at this boundary. */
  pausing: boolean;
  /** False when a budget refused what was wanted: make no more calls. */
  granted: boolean;
  /** Everything people have said to this unit so far, oldest first. */
  guidance: Guidance[];
  /** What the other subtasks of the task have found so far, oldest first. */
  discoveries: Discovery[];
}

export type TaskChangeResult =
  | ({ outcome: 'applied' } & WorkSigns)
  | { outcome: 'claimed'; unit: ClaimedUnit }
  /** The unit had been started too often without progress; it will not be started again. */
  | { outcome: 'dead'; reason: string }
  /** Not the owner (any more), or nothing there: nothing was written. */
  | { outcome: 'refused' };
