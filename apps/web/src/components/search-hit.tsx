import type { RecallAnswer } from '@loom/shared/api';
import { markWords } from '../format/mark-words.ts';
import { writeAddress } from '../state/address.ts';

interface SearchHitProps {
  sessionId: string;
  hit: RecallAnswer['matches'][number];
  query: string;
  isCurrent: boolean;
}

const speakers: Record<string, string> = { user: 'You', assistant: 'Loom', tool: 'Tool' };

/** A message that was found; following it shows the message where it stands. */
export function SearchHit({ sessionId, hit, query, isCurrent }: SearchHitProps) {
  return (
    <a
      href={writeAddress({ session_id: sessionId, message: hit.number })}
      aria-current={isCurrent ? 'true' : undefined}
      data-testid="search-hit"
      data-number={hit.number}
      className="-outline-offset-2 flex items-baseline gap-3 rounded-lg px-2.5 py-1 text-sm hover:bg-hover aria-[current]:bg-hover"
    >
      <span className="w-9 shrink-0 text-faint text-xs">{speakers[hit.role] ?? hit.role}</span>
      <span className="wrap-anywhere line-clamp-2 min-w-0 flex-1 text-soft">
        {markWords(hit.excerpt, query).map((piece, index) =>
          piece.is_hit ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
            <mark key={index} className="rounded-xs bg-warn-soft font-medium text-ink">
              {piece.text}
            </mark>
          ) : (
            piece.text
          ),
        )}
      </span>
      <span className="shrink-0 text-faint text-xs tabular-nums">{hit.number}</span>
    </a>
  );
}
