import type { Session } from '@loom/shared/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { listSessions } from '../http/gateway.ts';

/** The sessions of this key's tenant, newest first, in pages. */
export function useSessions() {
  const query = useInfiniteQuery({
    queryKey: ['sessions'],
    queryFn: ({ pageParam }) => listSessions(pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
  return { ...query, sessions: query.data?.pages.flatMap((page) => page.items) ?? [] };
}

export function sessionTitle(session: Session): string {
  return session.title.trim() === '' ? 'Untitled session' : session.title;
}
