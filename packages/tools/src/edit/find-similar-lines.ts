import { addLine, emptyProfile, sharedCharacters } from './character-profile.ts';
import { lineSimilarity } from './line-similarity.ts';

const minSimilarity = 0.85;
const minGap = 0.05;
/** Only the most promising places are compared exactly. */
const maxCandidates = 40;

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
  return places.sort((a, b) => b.score - a.score).slice(0, maxCandidates);
}

/**
 * The one block of lines that is nearly `wanted`: similar enough, and clearly more
 * so than any other place. Neighbours that overlap it count only when they tie.
 */
export function findSimilarLines(
  lines: readonly string[],
  wanted: readonly string[],
): SimilarLines {
  const scored = promisingPlaces(lines, wanted)
    .map(({ line }) => ({
      line,
      score: lineSimilarity(wanted, lines.slice(line, line + wanted.length)),
    }))
    .sort((a, b) => b.score - a.score || a.line - b.line);
  const best = scored[0] ?? null;
  if (best === null || best.score < minSimilarity) return { found: false, best, ambiguous: false };
  const ambiguous = scored.slice(1).some((other) => {
    const overlaps = Math.abs(other.line - best.line) < wanted.length;
    return overlaps ? other.score === best.score : best.score - other.score < minGap;
  });
  if (ambiguous) return { found: false, best, ambiguous };
  return { found: true, line: best.line, similarity: best.score };
}
