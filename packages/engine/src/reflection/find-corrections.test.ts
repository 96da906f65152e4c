import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { findCorrections, maxRuleChars } from './find-corrections.ts';
import { corrections, type FollowUp } from './test-support/corrections-corpus.ts';
import { otherFollowUps } from './test-support/other-follow-ups-corpus.ts';

const answer = 'Done. I wrote the file.';
const rulesIn = (text: string, after: string | null = answer) =>
  findCorrections(after, text).map(({ rule }) => rule);
const isLearnt = ({ text, after }: FollowUp) => rulesIn(text, after ?? answer).length > 0;

test('few of what it learns were no corrections, and few corrections are missed', () => {
  // The words were chosen with these lines in view: on lines never seen, more are wrong.
  const right = corrections.filter(isLearnt).length;
  const wrong = otherFollowUps.filter(isLearnt);
  const precision = right / (right + wrong.length);
  const recall = right / corrections.length;
  const of = `${corrections.length} corrections, ${otherFollowUps.length} others`;
  console.info(`${of}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
  expect(wrong.length / otherFollowUps.length).toBeLessThan(0.05);
  expect(precision).toBeGreaterThanOrEqual(0.95);
  expect(recall).toBeGreaterThanOrEqual(0.9);
});

test.each([
  ['no, use tabs please', 'Use tabs.'],
  ['I told you not to edit generated code', "Don't edit generated code."],
  ['You shouldn’t swallow errors.', "Don't swallow errors."],
  ["I don't want bullet points.", 'No bullet points.'],
  ['Could you please stop repeating my question?', 'Stop repeating my question.'],
  ['From now on, answer in one paragraph.', 'Answer in one paragraph.'],
  ['That is not what I asked for. I wanted a table, not prose.', 'A table, not prose.'],
  ['Kannst du bitte aufhören, alles zu wiederholen?', 'Hör auf, alles zu wiederholen.'],
  ['Ich habe gesagt, keine Emojis.', 'Keine Emojis.'],
])('"%s" becomes "%s"', (text, rule) => {
  expect(rulesIn(text)).toEqual([rule]);
});

test.each([
  "No, don't delete it.",
  'No, use this one.',
  'No, keep those.',
  "Don't commit anything yet.",
  'No, use the other file.',
  'No, put imports where they were yesterday.',
  'Nein, nimm die andere Datei.',
  'Nein, verwende es nicht.',
  'Schreib heute keine Tests.',
])('"%s" is meant here and now', (text) => {
  expect(rulesIn(text)).toEqual([]);
});

describe('what was said before', () => {
  it('must be there: a first message corrects nothing', () => {
    expect(rulesIn('No, use tabs.', null)).toEqual([]);
    expect(rulesIn('No, use tabs.', '')).toEqual(['Use tabs.']);
  });

  it('makes the words an answer, if it was a question', () => {
    const question = 'It is done. Shall I push it?';
    expect(rulesIn("No, don't push any branches.", question)).toEqual([]);
    expect(rulesIn('No. Never push to main.', question)).toEqual(['Never push to main.']);
  });
});

describe('a message', () => {
  it('gives three rules at most, each once', () => {
    expect(rulesIn('No, use tabs. Always use tabs. Never use var. Stop apologising.')).toEqual([
      'Always use tabs.',
      'Never use var.',
      'Stop apologising.',
    ]);
    expect(rulesIn('Always a1 b. Always c d. Always e f. Always g h.')).toHaveLength(3);
  });

  it('goes on correcting after a correction, and not after something else', () => {
    expect(rulesIn("I don't want bullet points. Write full sentences.")).toEqual([
      'No bullet points.',
      'Write full sentences.',
    ]);
    const work = 'Now create a small page that shows all the open orders';
    expect(rulesIn(`${work}. Don't use red.`)).toEqual([]);
    expect(rulesIn(`${work}. Never use red anywhere.`)).toEqual(['Never use red anywhere.']);
  });

  it('is read without what it quotes', () => {
    expect(rulesIn('```\nAlways use tabs\n```')).toEqual([]);
    expect(rulesIn('> Always use tabs')).toEqual([]);
    expect(rulesIn('> Always use tabs\nNo, use spaces.')).toEqual(['Use spaces.']);
  });

  it('keeps no credentials', () => {
    expect(rulesIn('No, use the password: hunter2.')).toEqual([]);
    expect(rulesIn('No, use sk-live-4f9a8b7c6d5e4f3a2b1c.')).toEqual([]);
    expect(rulesIn('No, use x-request-id-of-the-caller.')).toHaveLength(1);
  });

  it('gives short single lines, whatever it is', () => {
    const word = fc.constantFrom(
      ...['no,', 'always', 'never', "don't", 'use', 'tabs', 'instead of', 'nicht', 'sondern', '\n'],
      ...['x'.repeat(300), '.', '?', '😀', '\uD83D'],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string())), (words) => {
        for (const { rule, normal_form } of findCorrections(answer, words.join(' '))) {
          expect(rule.length).toBeLessThanOrEqual(maxRuleChars);
          expect(rule).not.toContain('\n');
          expect(normal_form).not.toBe('');
        }
      }),
    );
  });
});
