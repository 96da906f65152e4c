import { addLine, emptyProfile, sharedCharacters } from './character-profile.ts';
import { lineSimilarity } from './line-similarity.ts';

const minSimilarity = 0.85;
const minGap = 0.05;
/** Steps that may be spent on comparing the most promising places exactly. */
const maxSteps = 100_000_000;
const minCandidates = 40;
const maxCandidates = 1_000;

interface Candidate {
  line: number;
  score: number;
}

type SimilarLines =
  | { found: true; line: number; similarity: number }
  | { found: false; best: Candidate | null; ambiguous: boolean };

/** The places whose characters could reach a similarity that matters, best bound first. */
function promisingPlaces(lines: readonly string[], wanted: readonly string[]): Candidate[] {
  const target = emptyProfile();
  for (const line of wanted) addLine(target, line, 1);
  const wantedChars = wanted.reduce((sum, line) => sum + line.length, 0);
  const window = emptyProfile();
  let windowChars = 0;
  const places: Candidate[] = [];
  for (const [index, line] of lines.entries()) {
    addLine(window, line, 1);
    windowChars += line.length;
    const leaving = lines[index - wanted.length];
    if (leaving !== undefined) {
      addLine(window, leaving, -1);
      windowChars -= leaving.length;
    }
    const start = index - wanted.length + 1;
    if (start < 0) continue;
    const shared = 2 * (sharedCharacters(target, window) + wanted.length);
    const score = shared / (wantedChars + windowChars + 2 * wanted.length);
    if (score >= minSimilarity - minGap) places.push({ line: start, score });
  }
  return places.sort((a, b) => b.score - a.score);
}

/** How many places can be compared exactly without holding up everything else. */
function affordableCandidates(wanted: readonly string[]): number {
  const steps = wanted.reduce((sum, line) => sum + (line.length + 1) ** 2, 0);
  return Math.min(Math.max(Math.floor(maxSteps / steps), minCandidates), maxCandidates);
}

/**
 * The one block of lines that is nearly `wanted`: similar enough, and clearly more
 * so than any other place. Neighbours that overlap it count only when they tie.
 */
export function findSimilarLines(
  lines: readonly string[],
  wanted: readonly string[],
): SimilarLines {
  const places = promisingPlaces(lines, wanted);
  const affordable = affordableCandidates(wanted);
  const scored = places
    .slice(0, affordable)
    .map(({ line }) => ({
      line,
      score: lineSimilarity(wanted, lines.slice(line, line + wanted.length)),
    }))
    .sort((a, b) => b.score - a.score || a.line - b.line);
  const best = scored[0] ?? null;
  if (best === null || best.score < minSimilarity) return { found: false, best, ambiguous: false };
  // A place that was not compared may be as similar as its characters allow.
  const unseen = places[affordable]?.score ?? 0;
  const rivals = scored.slice(1).some((other) => {
    const overlaps = Math.abs(other.line - best.line) < wanted.length;
    return overlaps ? other.score === best.score : best.score - other.score < minGap;
  });
  const ambiguous = rivals || best.score - unseen < minGap;
  if (ambiguous) return { found: false, best, ambiguous };
  return { found: true, line: best.line, similarity: best.score };
}
