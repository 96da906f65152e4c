import { describe, expect, it } from 'vitest';
import {
  after,
  answers,
  asks,
  done,
  type History,
  judged,
  pause,
  play,
  running,
  started,
  stop,
  wait,
} from '../test-support/play.ts';
import { storedAndLoaded } from '../test-support/stored-state.ts';
import {
  nothingFor,
  type PolicyFields,
  planOf,
  policyOf,
  statuses,
  subtaskIn,
  types,
} from '../test-support/task-fixtures.ts';

/** A task of which one attempt has asked whether it may call a tool. */
function asking(approval: PolicyFields['approval'] = {}): History {
  const policy = policyOf({ approval: { timeout_seconds: 60, ...approval } });
  return play(running(planOf('a'), { policy }), started('a'), asks('a'));
}

const asked = asking();
const woken = [{ subtask_id: 'a', attempt: 1 }];

describe('a question about a tool', () => {
  it('is put before anything happens, with all that a person needs', () => {
    expect(statuses(asked.state).a).toBe('awaiting_approval');
    expect(asked.state.status).toBe('awaiting_confirmation');
    expect(asked.last.approvals).toEqual([
      {
        op: 'open',
        id: 'apr_1-1',
        kind: 'tool',
        tool: 'shell_execute',
        arguments: { command: 'rm -rf build' },
        reason: 'deletes a folder',
        subtask_id: 'a',
        attempt: 1,
        call_key: 'a.1.0',
        expires_at: asked.now + 60_000,
      },
    ]);
    expect(asked.last.events).toMatchObject([
      { type: 'approval.requested', subtask_id: 'a', data: { approval_id: 'apr_1-1' } },
      { type: 'task.confirmation_required', data: { approvals: ['apr_1-1'] } },
    ]);
  });

  it('shows the event log no more of long arguments than it can bear', () => {
    const long = { ...asks('a'), arguments: { text: '😀'.repeat(3_000) } };
    const { last } = play(running(planOf('a')), started('a'), long as ReturnType<typeof asks>);
    const shown = JSON.stringify(last.events[0]?.data.arguments);
    expect(shown.length).toBeLessThan(5_000);
    expect(shown.isWellFormed()).toBe(true);
    expect(JSON.stringify(last.approvals[0])).toContain('😀'.repeat(3_000));
  });

  it.each(['approve', 'deny'] as const)(
    'is answered with %s: the attempt goes on and reads it',
    (decision) => {
      const answered = play(asked, answers(1, decision, { reason: 'because' }));
      expect(answered.last.approvals).toEqual([
        {
          op: 'close',
          id: 'apr_1-1',
          status: decision === 'approve' ? 'approved' : 'denied',
          by: 'key_1',
          reason: 'because',
          arguments: null,
        },
      ]);
      expect(answered.last.wake.attempts).toEqual(woken);
      expect(types(answered.last.events)).toEqual([
        'approval.decided',
        'task.confirmation_received',
      ]);
      const onward = play(answered, started('a', 1, true));
      expect(statuses(onward.state).a).toBe('running');
      expect(types(onward.last.events)).toEqual(['subtask.resumed']);
    },
  );

  it('keeps the arguments that the person put in', () => {
    const edited = answers(1, 'approve', { arguments: { command: 'ls build' } });
    expect(play(asked, edited).last.approvals).toMatchObject([
      { arguments: { command: 'ls build' } },
    ]);
  });

  it('is answered once: what comes second changes nothing', () => {
    const answered = play(asked, answers(1, 'approve'));
    expect(play(answered, answers(1, 'deny')).last).toEqual(nothingFor(answered.state));
    expect(play(asked, answers(7, 'approve')).last).toEqual(nothingFor(asked.state));
    const over = play(asked, stop('abort'));
    expect(play(over, answers(1, 'approve')).last).toEqual(nothingFor(over.state));
  });

  it('that is answered after its time has run out instead, whoever noticed first', () => {
    const late = play(asked, wait(60), answers(1, 'approve'));
    expect(late.last.approvals).toMatchObject([{ op: 'close', status: 'expired', by: null }]);
    expect(late.last.wake.attempts).toEqual(woken);
  });

  it('runs out in a state of its own', () => {
    const expired = play(asked, ...after(60));
    expect(expired.last.approvals).toMatchObject([{ status: 'expired', by: null }]);
    expect(types(expired.last.events)[0]).toBe('approval.expired');
    expect(expired.last.wake.attempts).toEqual(woken);
    expect(subtaskIn(expired.state, 'a').trail.seen_by_person).toBe(false);
  });

  it('survives a restart, and may be answered or run out after it', () => {
    const restarted = { ...asked, state: storedAndLoaded(asked.state) };
    expect(play(restarted, answers(1, 'approve')).last).toEqual(
      play(asked, answers(1, 'approve')).last,
    );
    expect(play(restarted, ...after(60)).last).toEqual(play(asked, ...after(60)).last);
  });

  it('is not passed over by an attempt that is taken up before the answer', () => {
    expect(play(asked, started('a', 1, true)).last).toEqual(nothingFor(asked.state));
  });

  it('is one of several: each waits by itself', () => {
    const two = play(
      running(planOf('a', 'b')),
      started('a'),
      started('b'),
      asks('a'),
      asks('b', 1, 'write_file'),
    );
    expect(two.state.course.approvals.map(({ id }) => id)).toEqual(['apr_1-1', 'apr_1-2']);
    const one = play(two, answers(2, 'approve'));
    expect(one.last.wake.attempts).toEqual([{ subtask_id: 'b', attempt: 1 }]);
    expect(one.state.course.approvals.map(({ id }) => id)).toEqual(['apr_1-1']);
  });

  it('frees the tool for the rest of the task when the answer is to be remembered', () => {
    const freed = play(asked, answers(1, 'approve', { remember: true }));
    expect(freed.state.course.allowed_tools).toEqual(['shell_execute']);
    const refused = play(asked, answers(1, 'deny', { remember: true }));
    expect(refused.state.course.allowed_tools).toEqual([]);
  });

  it('leaves the task running as long as something else is at work', () => {
    const busy = play(running(planOf('a', 'b')), started('a'), started('b'), asks('a'));
    expect(busy.state.status).toBe('running');
  });
});

describe('a question about a result', () => {
  const manual = policyOf({ approval: { mode: 'manual', timeout_seconds: 60 } });
  const judging = play(
    running(planOf('a'), { policy: manual }),
    started('a'),
    done('a'),
    judged('a'),
  );

  it('that is approved completes the subtask', () => {
    const { state, last } = play(judging, answers(1, 'approve'));
    expect(state.status).toBe('completed');
    expect(last.events[1]).toMatchObject({
      type: 'subtask.completed',
      data: { accepted_by: 'key_1' },
    });
  });

  it('that is denied costs an attempt, with what the person said', () => {
    const { state } = play(judging, answers(1, 'deny', { reason: 'too long' }));
    expect(subtaskIn(state, 'a')).toMatchObject({
      status: 'queued',
      attempts: 2,
      feedback: 'too long',
      error: { code: 'result_denied', message: 'too long' },
    });
  });

  it('that is answered while the task is paused starts nothing', () => {
    const { state, last } = play(judging, pause(), answers(1, 'deny'));
    expect(statuses(state).a).toBe('pending');
    expect(last.units).toEqual([]);
  });

  it('that nobody answers is acted on as configured', () => {
    expect(statuses(play(judging, ...after(60)).state).a).toBe('queued');
    const lenient = { ...manual, approval: { ...manual.approval, on_timeout: 'approve' as const } };
    const open = play(
      running(planOf('a'), { policy: lenient }),
      started('a'),
      done('a'),
      judged('a'),
    );
    expect(play(open, ...after(60)).state.status).toBe('completed');
  });
});
