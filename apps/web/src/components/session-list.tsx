import { errorMessage } from '@loom/shared/app-error';
import { when } from '../format/when.ts';
import { writeAddress } from '../state/address.ts';
import { sessionTitle, useSessions } from '../state/use-sessions.ts';

/** Every session by title and time, more on demand. */
export function SessionList({ sessionId }: { sessionId: string | null }) {
  const { sessions, error, isSuccess, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useSessions();
  const now = new Date();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-3 py-1">
      {error && <p className="px-3 py-2 text-bad text-sm">{errorMessage(error)}</p>}
      {isSuccess && sessions.length === 0 && (
        <p className="px-3 py-2 text-faint text-sm">Your sessions will be listed here.</p>
      )}
      <ul className="space-y-px">
        {sessions.map((session) => (
          <li key={session.id}>
            <a
              href={writeAddress({ session_id: session.id })}
              aria-current={session.id === sessionId ? 'page' : undefined}
              data-testid="session"
              className="flex items-baseline gap-3 rounded-lg px-3 py-1.5 text-soft text-sm hover:bg-hover aria-[current]:bg-hover aria-[current]:font-medium aria-[current]:text-ink"
            >
              <span className="min-w-0 flex-1 truncate">{sessionTitle(session)}</span>
              <time
                dateTime={session.created_at}
                className="shrink-0 font-normal text-faint text-xs"
              >
                {when(session.created_at, now)}
              </time>
            </a>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <button
          type="button"
          onClick={() => void fetchNextPage()}
          disabled={isFetchingNextPage}
          className="mt-1 w-full rounded-lg px-3 py-1.5 text-left text-faint text-sm hover:bg-hover"
        >
          {isFetchingNextPage ? 'Loading…' : 'Show more'}
        </button>
      )}
    </div>
  );
}
