import type { ModelInfo, ModelRole } from '@loom/shared/chat';
import { expect, it } from 'vitest';
import { type ModelWish, selectModel } from './select-model.ts';

function model(name: string, tier: number, roles: ModelRole[] = ['executor']): ModelInfo {
  return {
    name,
    provider: 'demo',
    model: name,
    roles,
    tier,
    context_tokens: 1_000,
    max_output_tokens: 8_192,
    is_demo: true,
  };
}

const models = [
  model('planner-only', 1, ['planner']),
  model('large', 3),
  model('fast', 1),
  model('fast-2', 1),
];

function pick(wish: Partial<ModelWish>) {
  return selectModel(models, { role: 'executor', ...wish })?.name ?? null;
}

it.each<[string, Partial<ModelWish>, string | null]>([
  ['the named model whatever its role', { model: 'planner-only', tier: 3 }, 'planner-only'],
  ['null for an unknown name', { model: 'nobody' }, null],
  ['null for a role nobody has', { role: 'verifier' }, null],
  ['the exact tier, the first of equals', { tier: 1 }, 'fast'],
  ['the nearest tier above', { tier: 2 }, 'large'],
  ['the first configured without a tier', {}, 'large'],
  ['another than the avoided model', { tier: 1, avoid_model: 'fast' }, 'fast-2'],
  ['another even of another tier', { tier: 3, avoid_model: 'large' }, 'fast'],
  [
    'the avoided model when it is the only one',
    { role: 'planner', avoid_model: 'planner-only' },
    'planner-only',
  ],
])('%s', (_, wish, name) => {
  expect(pick(wish)).toBe(name);
});

it('takes the highest tier below when none is high enough', () => {
  const small = [model('one', 1), model('two', 2), model('two-b', 2)];
  expect(selectModel(small, { role: 'executor', tier: 3 })?.name).toBe('two');
});
