import { errorMessage } from '@loom/shared/app-error';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { searchArchive } from '../http/gateway.ts';
import { useAddress } from '../state/use-address.ts';
import { useSettled } from '../state/use-settled.ts';
import { SearchIcon, Spinner } from './icons.tsx';
import { SearchHit } from './search-hit.tsx';

const typingMs = 250;

/** Searches everything that was ever said in a session; a hit leads to its place. */
export function SearchPanel({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const panel = useRef<HTMLElement>(null);
  const { message } = useAddress();
  const query = useSettled(text.trim(), typingMs);
  const search = useQuery({
    queryKey: ['recall', sessionId, query],
    queryFn: ({ signal }) => searchArchive(sessionId, query, signal),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  });
  const hits = query === '' ? [] : (search.data?.matches ?? []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return onClose();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const stops = [...(panel.current?.querySelectorAll<HTMLElement>('input, a') ?? [])];
    event.preventDefault();
    stops[stops.indexOf(document.activeElement as HTMLElement) + step]?.focus();
  };
  return (
    <search
      ref={panel}
      aria-label="Search this conversation"
      data-testid="search-panel"
      onKeyDown={onKeyDown}
      className="appear shrink-0 border-line border-b bg-surface"
    >
      <div className="mx-auto w-full max-w-3xl px-4 py-2 md:px-6">
        <label className="flex items-center gap-2.5 rounded-xl border border-line-strong bg-canvas px-3 focus-within:border-faint/60">
          {search.isFetching ? (
            <Spinner className="text-faint" />
          ) : (
            <SearchIcon className="text-faint" />
          )}
          <span className="sr-only">Search for</span>
          <input
            // biome-ignore lint/a11y/noAutofocus: the field appears because its button was pressed
            autoFocus
            type="search"
            value={text}
            maxLength={2_000}
            onChange={(event) => setText(event.target.value)}
            placeholder="Search this conversation"
            data-testid="search"
            className="min-w-0 flex-1 bg-transparent py-1.5 text-sm outline-none placeholder:text-faint"
          />
        </label>
        {search.error && (
          <p role="alert" className="px-1 pt-2 text-bad text-sm">
            {errorMessage(search.error)}
          </p>
        )}
        {query !== '' && search.isSuccess && hits.length === 0 && (
          <p role="status" className="px-1 pt-2 text-faint text-sm">
            Nothing like that was said here.
          </p>
        )}
        {hits.length > 0 && (
          <ul aria-label="Found" className="mt-1.5 max-h-[32vh] overflow-y-auto">
            {hits.map((hit) => (
              <li key={hit.number}>
                <SearchHit
                  sessionId={sessionId}
                  hit={hit}
                  query={query}
                  isCurrent={hit.number === message}
                />
              </li>
            ))}
          </ul>
        )}
      </div>
    </search>
  );
}
