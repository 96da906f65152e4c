import type { ChatMessage } from '@loom/shared/chat';
import { configSchema } from '@loom/shared/config';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkPairs } from '../test-support/check-pairs.ts';
import { type Exchange, journalOf } from '../test-support/long-journal.ts';
import { mergedTokens } from './merged-exchanges.ts';
import { messageTokens } from './message-tokens.ts';
import { newestExchange } from './newest-exchange.ts';
import { type Compaction, noCompaction, relievePressure } from './relieve-pressure.ts';
import { createShortenedView } from './shortened-view.ts';

const text = (max: number) =>
  fc
    .tuple(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.nat({ max }))
    .map(([part, times]) => part.repeat(Math.ceil(times / 20)));

const exchange: fc.Arbitrary<Exchange> = fc.record({
  text: text(3_000),
  calls: fc.array(
    fc.record({
      name: fc.constantFrom('read_file', 'write_file'),
      argument: text(4_000),
      output: text(20_000),
    }),
    { maxLength: 3 },
  ),
  said: fc.option(fc.string({ maxLength: 60 }), { freq: 4 }),
});

const situation = fc.record({
  exchanges: fc.array(exchange, { minLength: 1, maxLength: 12 }),
  budget: fc.oneof(fc.integer({ min: 50, max: 2_000 }), fc.integer({ min: 50, max: 30_000 })),
  fixed: fc.nat({ max: 400 }),
  mode: fc.constantFrom('off' as const, 'tiered' as const, 'legacy' as const),
});

const limitsOf = (runner_compaction_policy_mode: 'off' | 'tiered' | 'legacy') => ({
  ...configSchema.parse({}).limits.runner,
  runner_compaction_policy_mode,
});

interface Given {
  budget: number;
  fixed: number;
  mode: 'off' | 'tiered' | 'legacy';
}

/** What is shown after each step of a journal, as it would be from call to call. */
function play(journal: ChatMessage[], { budget, fixed, mode }: Given) {
  const view = createShortenedView('task_1.a.1');
  const limits = limitsOf(mode);
  let compaction: Compaction = noCompaction;
  const step = (lines: ChatMessage[]) => {
    const facts = { journal: lines, view, fixed, budget, scale: 1, hurried: false, limits };
    compaction = relievePressure(compaction, facts);
    return { shown: view(lines, compaction.cuts), cuts: compaction.cuts };
  };
  const steps = journal.flatMap((_, place) =>
    journal[place + 1]?.role === 'tool' ? [] : [step(journal.slice(0, place + 1))],
  );
  return { steps, again: () => step(journal) };
}

test('calls and results stay together, the newest and what people said stay word for word', () => {
  fc.assert(
    fc.property(situation, ({ exchanges, ...given }) => {
      const journal = journalOf(exchanges);
      const { steps } = play(journal, given);
      const { shown } = steps.at(-1) ?? { shown: [] };
      checkPairs(shown);
      const newest = journal.slice(newestExchange(journal));
      expect(shown.slice(-newest.length)).toEqual(newest);
      const said = (messages: ChatMessage[]) =>
        messages
          .filter(({ role, content }) => role === 'user' && !content.startsWith('EARLIER STEPS'))
          .map(({ content }) => content);
      expect(said(shown)).toEqual(said(journal));
      expect(shown.every(({ content }) => content.isWellFormed())).toBe(true);
    }),
  );
});

test('exchanges of many calls are merged whole', () => {
  const call = { name: 'read_file', argument: 'x', output: 'o'.repeat(1_500) };
  const exchanges = Array.from({ length: 20 }, () => ({
    text: 'again',
    calls: [call, call, call],
    said: null,
  }));
  const merged = new Set<number>();
  for (let budget = 6_000; budget < 24_000; budget += 500) {
    const { steps } = play(journalOf(exchanges), { budget, fixed: 0, mode: 'tiered' });
    for (const { shown } of steps) checkPairs(shown);
    merged.add(steps.at(-1)?.cuts.merge ?? 0);
  }
  expect(merged.size).toBeGreaterThan(3);
});

test('it fits whenever what must not be touched fits', () => {
  fc.assert(
    fc.property(situation, ({ exchanges, ...given }) => {
      const journal = journalOf(exchanges);
      const { steps } = play(journal, { ...given, mode: 'tiered' });
      const hard = limitsOf('tiered').compaction_pressure_ratio_hard * given.budget;
      const newest = newestExchange(journal);
      const untouchable = journal.filter(({ role }, place) => place >= newest || role === 'user');
      const least = given.fixed + messageTokens(untouchable) + mergedTokens(0);
      const { shown } = steps.at(-1) ?? { shown: [] };
      if (least < hard) expect(given.fixed + messageTokens(shown)).toBeLessThan(hard);
    }),
  );
});

test('the same journal gives the same view, however often and by whomever it is made', () => {
  fc.assert(
    fc.property(situation, ({ exchanges, ...given }) => {
      const { steps, again } = play(journalOf(exchanges), given);
      const other = play(journalOf(exchanges), given).steps;
      expect(other.map(({ shown }) => shown)).toEqual(steps.map(({ shown }) => shown));
      expect(again().shown).toEqual(steps.at(-1)?.shown);
    }),
  );
});

test('nothing that was left out comes back, and without need nothing changes', () => {
  fc.assert(
    fc.property(situation, ({ exchanges, ...given }) => {
      const { steps } = play(journalOf(exchanges), { ...given, mode: 'tiered' });
      for (const [index, { shown, cuts }] of steps.entries()) {
        const next = steps[index + 1];
        if (next === undefined) break;
        expect(next.cuts.outputs).toBeGreaterThanOrEqual(cuts.outputs);
        expect(next.cuts.merge).toBeGreaterThanOrEqual(cuts.merge);
        if (JSON.stringify(next.cuts) === JSON.stringify(cuts)) {
          expect(next.shown.slice(0, shown.length)).toEqual(shown);
        }
      }
    }),
  );
});

test('off shows the journal as it is', () => {
  fc.assert(
    fc.property(situation, ({ exchanges, ...given }) => {
      const journal = journalOf(exchanges);
      expect(play(journal, { ...given, mode: 'off' }).steps.at(-1)?.shown).toEqual(journal);
    }),
  );
});
