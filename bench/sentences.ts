/** Numbers from 0 to 1, the same in every run. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const topWords =
  'file test error function server value user code build query table line name type list key index path module branch'.split(
    ' ',
  );
const stopWords = 'the a of to and in is for on with that it as was but not'.split(' ');
const syllables = 'ba cor den fi gal hu jun ka lor mi nas op per qui ran sol tev ul vor wen'.split(
  ' ',
);
const vocabularySize = 20_000;

/** Words by rank: some that every conversation has, then thousands of rarer ones. */
export function makeVocabulary(): string[] {
  const made = Array.from({ length: vocabularySize - topWords.length }, (_, index) =>
    [
      index % 20,
      Math.floor(index / 20) % 20,
      Math.floor(index / 400) % 20,
      Math.floor(index / 8_000),
    ]
      .map((digit) => syllables[digit])
      .join(''),
  );
  return [...topWords, ...made];
}

/** Sentences as Zipf's law has them: the word of rank n is n times rarer than the first. */
export function makeSentences(vocabulary: readonly string[], count: number): string[][] {
  const random = createRandom(7);
  const word = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? '';
  return Array.from({ length: count }, () =>
    Array.from({ length: 4 + Math.floor(random() * 10) }, (_, place) =>
      place % 3 === 1 ? (stopWords[Math.floor(random() * stopWords.length)] ?? '') : word(),
    ),
  );
}
