import { migrateDatabase } from '@loom/db/migrate';
import { recallMessages } from '@loom/db/recall';
import { archive, fillArchive } from './fill-archive.ts';
import type { Measurement } from './measurement.ts';
import { openBenchDatabase } from './open-bench-database.ts';
import { percentile } from './percentile.ts';
import { startServers } from './private-servers.ts';
import { createRandom, makeSentences, makeVocabulary } from './sentences.ts';

const sentenceCount = 20_000;
const queriesOfKind = 60;
const warmUpsOfKind = 5;

/** (d) Full-text recall in a conversation of 100,000 messages among 1,000,000. */
export async function measureRecallSearch(): Promise<Measurement[]> {
  const servers = await startServers('postgres');
  await migrateDatabase(servers.database_url);
  const vocabulary = makeVocabulary();
  const sentences = makeSentences(vocabulary, sentenceCount);
  await fillArchive(servers.database_url, sentences);
  const db = await openBenchDatabase(servers.database_url);
  const { tenant_id, session_id } = archive;
  const search = async (query: string): Promise<{ took: number; found: number }> => {
    const began = performance.now();
    const request = { action: 'search', query, limit: 10 } as const;
    const { matches } = await recallMessages(db, { tenant_id, session_id, request });
    return { took: performance.now() - began, found: matches.length };
  };

  const all: number[] = [];
  const detail: Record<string, number> = {};
  for (const [kind, makeQuery] of Object.entries(queryKinds(vocabulary, sentences))) {
    for (let warmUp = 0; warmUp < warmUpsOfKind; warmUp++) await search(makeQuery());
    const samples: number[] = [];
    for (let query = 0; query < queriesOfKind; query++) {
      const { took, found } = await search(makeQuery());
      if (found === 0 && kind !== 'nothing') throw new Error(`recall found no ${kind}`);
      samples.push(took);
    }
    detail[`${kind}_p50_ms`] = percentile(samples, 0.5);
    detail[`${kind}_p95_ms`] = percentile(samples, 0.95);
    all.push(...samples);
  }
  await db.close();
  await servers.stop();
  return [
    {
      part: 'd',
      name: 'recall in 100,000 of 1,000,000 messages',
      value: percentile(all, 0.95),
      unit: 'ms p95',
      target: { at_most: 10 },
      detail: { p50_ms: percentile(all, 0.5), ...detail },
    },
  ];
}

/** The kinds of things that people look for, each with ever new examples. */
function queryKinds(vocabulary: string[], sentences: string[][]): Record<string, () => string> {
  const random = createRandom(11);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const ranks = new Map(vocabulary.map((word, rank) => [word, rank]));
  const rare = sentences.flat().filter((word) => (ranks.get(word) ?? 0) > 8_000);
  return {
    rare_word: () => pick(rare),
    two_words: () => {
      const sentence = pick(sentences);
      return `${sentence[0]} ${sentence[3]}`;
    },
    phrase: () => pick(sentences).slice(0, 4).join(' '),
    common_word: () => pick(vocabulary.slice(0, 10)),
    common_words: () => `${pick(vocabulary.slice(0, 20))} ${pick(vocabulary.slice(0, 20))}`,
    nothing: () => `xyzzy${Math.floor(random() * 1e6)}`,
  };
}
