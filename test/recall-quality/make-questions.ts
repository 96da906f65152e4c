import type { CorpusMessage } from './make-corpus.ts';
import { createPicker, type Fact, factKinds, makeFact, type Picker } from './make-facts.ts';

/** A question with the messages that answer it. */
export interface Question {
  kind: string;
  query: string;
  answers: number[];
}

type Ask = (fact: Fact, picker: Picker) => string | null;

/** How people ask for a thing, and how often in a hundred questions. */
const ways: Record<string, { count: number; ask: Ask }> = {
  'exact words': { count: 20, ask: ({ quote }) => quote },
  'other order': {
    count: 18,
    ask: ({ words }, picker) => shuffled(words, picker).join(' '),
  },
  'some words': {
    count: 16,
    ask: ({ words }, picker) =>
      shuffled([...words, picker.of(['zebra', 'yesterday', 'umbrella'])], picker).join(' '),
  },
  'parts of words': {
    count: 16,
    ask: ({ words }) =>
      words.every(isLong) ? words.map((word) => word.slice(0, 5)).join(' ') : null,
  },
  identifiers: {
    count: 20,
    ask: ({ identifiers }, picker) => (identifiers.length === 0 ? null : picker.of(identifiers)),
  },
  typos: {
    count: 10,
    ask: ({ words }, picker) => {
      const place = words.findIndex((word) => /^[a-z]{7,}$/i.test(word));
      if (place === -1) return null;
      return words
        .map((word, index) => (index === place ? misspell(word, picker) : word))
        .join(' ');
    },
  },
};

/** A hundred questions about messages all over the corpus, each with whatever answers it. */
export function makeQuestions(seed: number, corpus: CorpusMessage[]): Question[] {
  const picker = createPicker(seed);
  const questions: Question[] = [];
  for (const [kind, { count, ask }] of Object.entries(ways)) {
    for (let asked = 0; asked < count; ) {
      const { fact } = picker.of(corpus);
      const query = fact === null ? null : ask(fact, picker);
      if (fact === null || query === null) continue;
      questions.push({ kind, query, answers: answersTo(kind, query, fact, corpus) });
      asked++;
    }
  }
  return questions;
}

/** Fifty questions about what nobody said: known words never said together, wrong numbers, unknown words. */
export function makeUnanswerable(seed: number, corpus: CorpusMessage[], count: number): string[] {
  const picker = createPicker(seed);
  const questions: string[] = [];
  while (questions.length < count) {
    const { words } = makeFact(picker.of(factKinds), picker);
    const made = [
      words,
      [...words.slice(1), picker.of(['Zanzibar', 'unicorn', 'haiku', '火山', 'Schmetterling'])],
      words.map((word) => word.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))),
    ][questions.length % 3] as string[];
    if (!corpus.some(({ content }) => holdsAll(content, made))) questions.push(made.join(' '));
  }
  return questions;
}

/** The message itself, and any other that holds all that tells it from the rest. */
function answersTo(kind: string, query: string, fact: Fact, corpus: CorpusMessage[]): number[] {
  const needed =
    kind === 'identifiers' ? [query] : kind === 'exact words' ? [fact.quote] : fact.words;
  return corpus.filter(({ content }) => holdsAll(content, needed)).map(({ number }) => number);
}

function holdsAll(content: string, words: string[]): boolean {
  const text = content.toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
}

function isLong(word: string): boolean {
  return /^\p{L}{6,}$/u.test(word) && !/\p{sc=Han}/u.test(word);
}

function shuffled(words: string[], picker: Picker): string[] {
  return words
    .map((word) => ({ word, place: picker.below(1_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ word }) => word);
}

/** The word with two letters in each other's place, or one of them missing. */
function misspell(word: string, picker: Picker): string {
  const place = 2 + picker.below(word.length - 4);
  const swapped = `${word[place + 1]}${word[place]}`;
  const isSame = word[place] === word[place + 1];
  return `${word.slice(0, place)}${isSame || picker.below(2) === 0 ? word[place + 1] : swapped}${word.slice(place + 2)}`;
}
