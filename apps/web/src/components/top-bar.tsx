import type { Me } from '../http/gateway.ts';
import { sessionTitle, useSessions } from '../state/use-sessions.ts';
import { MenuIcon, SearchIcon } from './icons.tsx';

interface TopBarProps {
  me: Me;
  sessionId: string | null;
  onMenu: () => void;
  isSearching: boolean;
  onSearch: () => void;
}

/** Where one is, and which model answers. */
export function TopBar({ me, sessionId, onMenu, isSearching, onSearch }: TopBarProps) {
  const { sessions } = useSessions();
  const session = sessions.find(({ id }) => id === sessionId);
  return (
    <header className="flex h-13 shrink-0 items-center gap-3 px-4 md:px-6">
      <button
        type="button"
        onClick={onMenu}
        aria-label="Show sessions"
        className="-ml-1.5 rounded-lg p-1.5 text-soft hover:bg-hover md:hidden"
      >
        <MenuIcon className="size-5" />
      </button>
      <h1 className="min-w-0 flex-1 truncate font-medium text-sm">
        {session ? sessionTitle(session) : ''}
      </h1>
      {me.model && (
        <span className="max-w-[40%] truncate text-faint text-xs" title="The model that answers">
          {session?.model ?? me.model.name}
        </span>
      )}
      {sessionId !== null && (
        <button
          type="button"
          id="search-toggle"
          data-testid="search-toggle"
          onClick={onSearch}
          aria-label="Search this conversation"
          title="Search this conversation"
          aria-expanded={isSearching}
          className="-mr-1.5 rounded-lg p-1.5 text-soft hover:bg-hover hover:text-ink aria-expanded:bg-hover"
        >
          <SearchIcon className="size-4.5" />
        </button>
      )}
    </header>
  );
}
