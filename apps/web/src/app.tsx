import { AppError, errorMessage } from '@loom/shared/app-error';
import { useQuery } from '@tanstack/react-query';
import { ErrorPanel } from './components/error-panel.tsx';
import { SignIn } from './components/sign-in.tsx';
import { Workspace } from './components/workspace.tsx';
import { fetchMe } from './http/gateway.ts';

/** The page: signed out, unreachable, or at work. */
export function App() {
  const me = useQuery({ queryKey: ['me'], queryFn: fetchMe });
  if (me.error instanceof AppError && me.error.code === 'unauthenticated') return <SignIn />;
  if (me.data) return <Workspace me={me.data} />;
  if (me.error) {
    return (
      <main className="grid h-full place-items-center p-6">
        <ErrorPanel message={errorMessage(me.error)} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return <p className="appear-late grid h-full place-items-center text-faint">Opening Loom…</p>;
}
