import type { Message } from '@loom/shared/api';
import type { Approval } from '@loom/shared/approval';
import { describe, expect, it } from 'vitest';
import { canBeRemembered } from '../format/describe-approval.ts';
import { closeApproval, mergeApprovals } from './fold-approvals.ts';
import { placeApprovals } from './place-approvals.ts';
import { readEditedArguments } from './read-edited-arguments.ts';

function approval(id: string, rest: Partial<Approval> = {}): Approval {
  return {
    id,
    status: 'pending',
    kind: 'tool',
    tool: 'write_file',
    arguments: { content: 'x', path: 'a.md' },
    reason: 'In manual mode every action that may change something is asked about: write_file',
    session_id: 'ses_1',
    turn_id: 'turn_1',
    task_id: null,
    subtask_id: null,
    requested_at: `2026-01-01T00:00:0${id}.000Z`,
    expires_at: null,
    decided_by: null,
    decided_at: null,
    decision_reason: null,
    ...rest,
  };
}

const at = '2026-01-01T00:01:00.000Z';

describe('approvals of a conversation', () => {
  it('are closed by the stream, once, and not opened again by an older reading', () => {
    const open = mergeApprovals({}, [approval('1')]);
    const event = (status: string, by: string) => ({
      type: 'approval.decided',
      at,
      data: { approval_id: '1', status, by, reason: 'fine' },
    });
    const closed = closeApproval(open, event('approved', 'key_1'));
    expect(closed['1']).toMatchObject({
      status: 'approved',
      decided_by: 'key_1',
      decided_at: at,
      decision_reason: 'fine',
    });
    expect(closeApproval(closed, event('denied', 'key_2'))).toBe(closed);
    expect(mergeApprovals(closed, [approval('1')])['1']?.status).toBe('approved');
    expect(mergeApprovals(open, [approval('1', { status: 'denied' })])['1']?.status).toBe('denied');
  });

  it('know nothing of questions that were never read', () => {
    const data = { approval_id: '9', status: 'approved' };
    expect(closeApproval({}, { type: 'approval.decided', at, data })).toEqual({});
  });
});

describe('placeApprovals', () => {
  const call = (id: string, args: Record<string, string>) => ({
    id,
    name: 'write_file',
    arguments: args,
  });
  const message = {
    turn_id: 'turn_1',
    tool_calls: [
      call('c1', { path: 'a.md', content: 'x' }),
      call('c2', { path: 'a.md', content: 'x' }),
    ],
  } as unknown as Message;

  it('finds the call whatever the order of keys, and equal calls one after the other', () => {
    const { by_call, by_turn } = placeApprovals([message], [approval('2'), approval('1')]);
    expect([...by_call].map(([id, { id: asked }]) => [id, asked])).toEqual([
      ['c1', '1'],
      ['c2', '2'],
    ]);
    expect(by_turn.size).toBe(0);
  });

  it('leaves at its turn what fits no call, and to its task what a task asks', () => {
    const asked = [approval('1', { tool: 'other' }), approval('2', { task_id: 'task_1' })];
    const { by_call, by_turn } = placeApprovals([message], asked);
    expect(by_call.size).toBe(0);
    expect(by_turn.get('turn_1')?.map(({ id }) => id)).toEqual(['1']);
  });
});

describe('answers', () => {
  it('free a tool for the session only where that is possible', () => {
    expect(canBeRemembered(approval('1'))).toBe(true);
    expect(canBeRemembered(approval('1', { reason: 'It removes files: rm -rf' }))).toBe(false);
    expect(canBeRemembered(approval('1', { session_id: null }))).toBe(false);
    expect(canBeRemembered(approval('1', { kind: 'budget' }))).toBe(false);
    expect(canBeRemembered({ ...approval('1'), can_remember: false })).toBe(false);
  });

  it('take changed arguments that are a JSON object', () => {
    expect(readEditedArguments('{"path": "a"}')).toEqual({ ok: true, arguments: { path: 'a' } });
    for (const wrong of ['', '{', '[1]', 'null', '"a"']) {
      expect(readEditedArguments(wrong).ok, wrong).toBe(false);
    }
  });
});
