import { planSchema } from '@loom/shared/plan';
import { expect, it } from 'vitest';
import { planReply } from './plan-reply.ts';

function plan(goal: string, prompt = '') {
  const json = /^```json\n([\s\S]+)\n```$/.exec(planReply(goal, prompt))?.[1] ?? '';
  return planSchema.parse(JSON.parse(json)).subtasks;
}

it('plans one independent subtask an item and a synthesis of them all', () => {
  const subtasks = plan('Write a haiku about rain and a limerick about tea');
  expect(subtasks.map(({ id, deliverables }) => [id, deliverables])).toEqual([
    ['haiku-about-rain', ['haiku-about-rain.md']],
    ['limerick-about-tea', ['limerick-about-tea.md']],
    ['summary', ['summary.md']],
  ]);
  expect(subtasks[0]).toMatchObject({
    description: 'Write a haiku about rain to haiku-about-rain.md',
    depends_on: [],
    verification_tier: 2,
    is_synthesis: false,
  });
  expect(subtasks[2]).toMatchObject({
    depends_on: ['haiku-about-rain', 'limerick-about-tea'],
    is_synthesis: true,
  });
});

it('needs no synthesis for one item', () => {
  expect(plan('Write a haiku').map(({ id }) => id)).toEqual(['haiku']);
});

it('writes to the files that the goal names, each once', () => {
  const subtasks = plan('Write a table to data/cats.csv, data/cats.csv and /etc/evil.md');
  expect(subtasks.map(({ deliverables }) => deliverables[0])).toEqual([
    'data/cats.csv',
    'data-cats-csv.md',
    'etc-evil-md.md',
    'summary.md',
  ]);
});

it('keeps ids and files unique and apart from the summary', () => {
  const subtasks = plan('- the summary\n- the summary\n- 雨の俳句\n- 雨の俳句');
  expect(subtasks.map(({ id }) => id)).toEqual([
    'summary-2',
    'summary-3',
    'item-3',
    'item-4',
    'summary',
  ]);
});

it('ends a long name with a whole word', () => {
  const [subtask] = plan('Write a short packing list for a weekend by the sea');
  expect(subtask?.deliverables).toEqual(['short-packing-list-for-a-weekend.md']);
  expect(plan(`Write ${'x'.repeat(99)}`)[0]?.id).toBe('x'.repeat(40));
});

it('still plans something for an empty goal', () => {
  expect(plan('   ')).toHaveLength(1);
});

it.each(['PLAN', 'PHASES'])('keeps the subtasks that the prompt shows under %s', (block) => {
  const shown = {
    subtasks: [
      { id: 'a', description: 'x' },
      { id: 'b', description: 'y', depends_on: ['a'] },
    ],
  };
  const prompt = `GOAL:\nWrite a poem\nEND GOAL\n\n${block}:\n${JSON.stringify(shown)}\nEND ${block}`;
  expect(plan('Write a poem', prompt)).toMatchObject(shown.subtasks);
});

it('keeps the plan before the phases, and plans itself when neither can be read', () => {
  const block = (name: string, id: string) =>
    `${name}:\n{"subtasks": [{"id": "${id}", "description": "x"}]}\nEND ${name}\n`;
  const both = block('PHASES', 'phase') + block('PLAN', 'old');
  expect(plan('Write a poem', both).map(({ id }) => id)).toEqual(['old']);
  const unreadable = 'PLAN:\n{"subtasks": 3}\nEND PLAN\nPHASES:\nnone\nEND PHASES\n';
  expect(plan('Write a poem', unreadable).map(({ id }) => id)).toEqual(['poem']);
});
