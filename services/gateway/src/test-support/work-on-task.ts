import { nothingSpent } from '@loom/shared/budget';
import type { TaskInput } from '@loom/shared/task-state';
import type { ClaimedUnit, TaskChange } from '@loom/shared/work';
import type { TestGateway } from './test-gateway.ts';

type Work = Extract<TaskChange, { kind: 'work' }>;

/** Takes a unit as a worker would. */
export async function claimUnit(
  { runtime }: TestGateway,
  [taskId, unitId]: [string, string],
  epoch = 0,
): Promise<ClaimedUnit> {
  const change = { kind: 'claim', task_id: taskId, unit_id: unitId, epoch } as const;
  const result = await runtime.committer.add(change);
  if (result.outcome !== 'claimed') throw new Error(`${unitId} was ${result.outcome}`);
  return result.unit;
}

/** Commits what a worker found out about its unit. */
export async function finishUnit(
  { runtime }: TestGateway,
  { unit_id, epoch, task_id }: ClaimedUnit,
  input: TaskInput,
  more: Partial<Work> = {},
): Promise<void> {
  const { outcome } = await runtime.committer.add({
    kind: 'work',
    task_id: task_id ?? '',
    fence: { unit_id, epoch },
    journal: [],
    journal_from: 0,
    ledger: [],
    events: [],
    spent: nothingSpent,
    actions: [],
    wants: null,
    model: null,
    park: null,
    input,
    ...more,
  });
  if (outcome !== 'applied') throw new Error(`${unit_id} was ${outcome}`);
}

/** An executor of subtask `a` asks before it runs a command, and parks. */
export async function askToRun(
  gateway: TestGateway,
  taskId: string,
  command: string,
): Promise<void> {
  const unit = await claimUnit(gateway, [taskId, `${taskId}.a.1`]);
  const input = {
    kind: 'approval_requested',
    subtask_id: 'a',
    attempt: 1,
    call_key: `${unit.unit_id}.1.0`,
    tool: 'shell_execute',
    arguments: { command },
    reason: 'deletes recursively',
  } as const;
  await finishUnit(gateway, unit, input, { park: { reason: 'approval', seconds: null } });
}
