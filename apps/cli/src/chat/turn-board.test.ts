import { expect, it } from 'vitest';
import { createTurnBoard } from './turn-board.ts';

const turn = (type: string, turn_id: string) => ({ type, turn_id, data: {} });

it('knows the turn at work from those that wait behind it', () => {
  const board = createTurnBoard();
  board.accepted('turn_1');
  board.hear(turn('turn.queued', 'turn_2'));
  board.hear(turn('turn.awaiting_approval', 'turn_1'));
  expect(board.busy()).toBe('turn_1');
  board.hear(turn('turn.failed', 'turn_1'));
  expect(board.busy()).toBe('turn_2');
  board.hear(turn('turn.completed', 'turn_2'));
  expect(board.busy()).toBeNull();
  expect(board.open()).toEqual([]);
  expect(board.latest()).toBe('turn_2');
});

it('knows what a turn that waits for its user may be answered with', () => {
  const board = createTurnBoard();
  const call = { name: 'ask_user', arguments: { question: 'Which?', options: ['a', 'b'] } };
  board.hear({ ...turn('message.appended', 'turn_1'), data: { tool_calls: [call] } });
  expect(board.asking()).toBeNull();
  board.hear(turn('turn.awaiting_user', 'turn_1'));
  expect(board.asking()).toEqual({ options: ['a', 'b'] });
  expect(board.busy()).toBeNull();
  board.accepted('turn_1');
  expect(board.asking()).toBeNull();
  expect(board.busy()).toBe('turn_1');
});

it('takes a turn as it was found', () => {
  const board = createTurnBoard();
  board.set({ id: 'turn_1', status: 'awaiting_task' }, []);
  expect(board.busy()).toBe('turn_1');
  board.set({ id: 'turn_1', status: 'completed' }, []);
  expect(board.busy()).toBeNull();
});
