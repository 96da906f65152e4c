import { turnStatusSchema } from '@loom/shared/statuses';
import type { TurnInput, TurnState } from '@loom/shared/turn-state';
import { describe, expect, test } from 'vitest';
import { decideTurn } from './decide-turn.ts';

const turn = (status: TurnState['status'], cancel_requested = false): TurnState => ({
  status,
  cancel_requested,
});
const error = { code: 'model_unavailable', message: 'no model answers' };
const inputs: TurnInput[] = [
  { kind: 'accepted' },
  { kind: 'claimed' },
  { kind: 'parked', on: 'task' },
  { kind: 'parked', on: 'user' },
  { kind: 'parked', on: 'approval' },
  { kind: 'model_away', seconds: 5, reason: 'it is limiting requests' },
  { kind: 'answered' },
  { kind: 'finished' },
  { kind: 'failed', error },
  { kind: 'stopped' },
  { kind: 'stop_requested', by: 'key_1' },
];

test('an accepted turn is queued', () => {
  expect(decideTurn(turn('queued'), { kind: 'accepted' })).toEqual({
    state: turn('queued'),
    events: [{ type: 'turn.queued', data: {} }],
    unit: 'keep',
  });
});

describe('claimed', () => {
  test.each([
    ['queued', 'turn.started', false],
    ['awaiting_task', 'turn.started', true],
    ['awaiting_user', 'turn.started', true],
    ['awaiting_approval', 'turn.started', true],
    ['running', 'turn.recovered', false],
  ] as const)('from %s: %s, resumed %s', (status, type, resumed) => {
    expect(decideTurn(turn(status), { kind: 'claimed' })).toEqual({
      state: turn('running'),
      events: [{ type, data: { resumed } }],
      unit: 'claim',
    });
  });

  test('a turn that was to stop ends instead of starting again', () => {
    expect(decideTurn(turn('running', true), { kind: 'claimed' })).toEqual({
      state: turn('cancelled', true),
      events: [{ type: 'turn.cancelled', data: {} }],
      unit: 'done',
    });
  });
});

describe('parked', () => {
  test.each(['task', 'user', 'approval'] as const)('for a %s', (on) => {
    expect(decideTurn(turn('running'), { kind: 'parked', on })).toEqual({
      state: turn(`awaiting_${on}`),
      events: [{ type: `turn.awaiting_${on}`, data: {} }],
      unit: 'park',
    });
  });

  test('a turn that is to stop does not wait for anything', () => {
    expect(decideTurn(turn('running', true), { kind: 'parked', on: 'task' })).toEqual({
      state: turn('cancelled', true),
      events: [{ type: 'turn.cancelled', data: {} }],
      unit: 'done',
    });
  });
});

describe('its model is away', () => {
  const input = { kind: 'model_away', seconds: 30, reason: 'overloaded' } as const;

  test('it parks, and shows as one that waits for its turn', () => {
    const parked = decideTurn(turn('running'), input);
    expect(parked).toEqual({
      state: turn('queued'),
      events: [{ type: 'turn.parked', data: { seconds: 30, reason: 'overloaded' } }],
      unit: 'park',
    });
    const [started] = decideTurn(parked.state, { kind: 'claimed' }).events;
    expect(started?.type).toBe('turn.started');
  });

  test('a turn that is to stop does not wait for a model', () => {
    expect(decideTurn(turn('running', true), input)).toEqual({
      state: turn('cancelled', true),
      events: [{ type: 'turn.cancelled', data: {} }],
      unit: 'done',
    });
  });
});

test('a turn whose question was answered waits for a worker like any other', () => {
  const answered = decideTurn(turn('awaiting_user'), { kind: 'answered' });
  expect(answered).toEqual({
    state: turn('queued'),
    events: [{ type: 'turn.queued', data: { resumed: true } }],
    unit: 'wake',
  });
});

test.each([
  [{ kind: 'finished' }, 'completed', {}],
  [{ kind: 'failed', error }, 'failed', error],
  [{ kind: 'stopped' }, 'cancelled', {}],
] as const)('%j ends a running turn as %s', (input, status, data) => {
  expect(decideTurn(turn('running'), input)).toEqual({
    state: turn(status),
    events: [{ type: `turn.${status}`, data }],
    unit: 'done',
  });
});

describe('asked to stop', () => {
  const input = { kind: 'stop_requested', by: 'key_1' } as const;

  test('a running turn is told, and keeps its unit until its worker says so', () => {
    const told = decideTurn(turn('running'), input);
    expect(told).toEqual({ state: turn('running', true), events: [], unit: 'keep' });
    expect(decideTurn(told.state, input)).toEqual(told);
  });

  test.each(['queued', 'awaiting_task', 'awaiting_user', 'awaiting_approval'] as const)(
    'a turn that nobody works on ends at once: %s',
    (status) => {
      expect(decideTurn(turn(status), input)).toEqual({
        state: turn('cancelled'),
        events: [{ type: 'turn.cancelled', data: { by: 'key_1' } }],
        unit: 'withdraw',
      });
    },
  );
});

test('nothing changes a turn that has ended', () => {
  for (const status of ['completed', 'failed', 'cancelled'] as const) {
    for (const input of inputs) {
      const state = turn(status, input.kind === 'stopped');
      expect(decideTurn(state, input)).toEqual({ state, events: [], unit: 'done' });
    }
  }
});

test('every decision tells the end once, and only of a state that it changed', () => {
  for (const status of turnStatusSchema.options) {
    for (const input of inputs) {
      for (const cancel of [false, true]) {
        const before = turn(status, cancel);
        const { state, events } = decideTurn(before, input);
        const ends = events.filter(({ type }) => type === `turn.${state.status}`);
        const ended = ['completed', 'failed', 'cancelled'].includes(state.status);
        expect(ends.length, `${status} ${input.kind}`).toBeLessThanOrEqual(1);
        if (ended && status !== state.status) expect(ends).toHaveLength(1);
        expect(before).toEqual(turn(status, cancel));
      }
    }
  }
});
