import { useEffect } from 'react';
import type { Me } from '../http/gateway.ts';
import { writeAddress } from '../state/address.ts';
import { LoomMark, PlusIcon } from './icons.tsx';
import { SessionList } from './session-list.tsx';

interface SidebarProps {
  me: Me;
  sessionId: string | null;
  isOpen: boolean;
  onClose: () => void;
}

/** The list of sessions; on a narrow screen a drawer above the conversation. */
export function Sidebar({ me, sessionId, isOpen, onClose }: SidebarProps) {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && onClose();
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOpen, onClose]);
  return (
    <>
      {isOpen && (
        <button
          type="button"
          aria-label="Close sessions"
          onClick={onClose}
          className="fixed inset-0 z-20 bg-black/35 md:hidden"
        />
      )}
      <nav
        aria-label="Sessions"
        className={`${isOpen ? 'translate-x-0' : 'invisible -translate-x-full'} fixed inset-y-0 left-0 z-30 flex w-72 flex-col border-line border-r bg-sunken transition-[translate,visibility] duration-200 md:visible md:static md:w-68 md:translate-x-0`}
      >
        <div className="flex h-13 shrink-0 items-center gap-2.5 px-5">
          <LoomMark className="size-5 text-accent" />
          <span className="font-semibold tracking-tight">Loom</span>
        </div>
        <div className="px-3 pb-2">
          <a
            href={writeAddress({})}
            onClick={onClose}
            data-testid="new-session"
            className="flex items-center gap-2.5 rounded-lg border border-line-strong bg-surface px-3 py-2 font-medium text-sm shadow-[0_1px_2px_rgb(0_0_0/0.04)] hover:bg-hover"
          >
            <PlusIcon />
            New session
          </a>
        </div>
        <SessionList sessionId={sessionId} />
        <p className="shrink-0 truncate border-line border-t px-5 py-3 text-faint text-xs">
          {me.key_name} · {me.tenant}
        </p>
      </nav>
    </>
  );
}
