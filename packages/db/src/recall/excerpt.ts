const maxLength = 240;
const lead = 80;

/** A line of a message around the first of the words that it holds, or its beginning. */
export function excerptOf(content: string, query: string | null): string {
  const text = content.replace(/\s+/g, ' ').trim();
  if (text.length <= maxLength) return text;
  const hit = query === null ? -1 : firstHit(text.toLowerCase(), query.toLowerCase());
  const start = Math.max(0, Math.min(hit - lead, text.length - maxLength));
  const piece = text.slice(start, start + maxLength).toWellFormed();
  return `${start > 0 ? '…' : ''}${piece}${start + maxLength < text.length ? '…' : ''}`;
}

function firstHit(text: string, query: string): number {
  const phrase = text.indexOf(query.trim());
  if (phrase !== -1) return phrase;
  const hits = query
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2)
    .map((word) => text.indexOf(word))
    .filter((index) => index !== -1);
  return hits.length === 0 ? -1 : Math.min(...hits);
}
