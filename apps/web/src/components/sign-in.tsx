import { errorMessage } from '@loom/shared/app-error';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { signIn } from '../http/gateway.ts';
import { LoomMark, Spinner } from './icons.tsx';

/** The way in: the printed link, or an API key. */
export function SignIn() {
  const [key, setKey] = useState('');
  const queries = useQueryClient();
  const login = useMutation({
    mutationFn: () => signIn(key.trim()),
    onSuccess: () => queries.resetQueries({ queryKey: ['me'] }),
  });
  return (
    <main className="grid h-full place-items-center overflow-y-auto p-6">
      <div className="appear w-full max-w-sm" data-testid="sign-in">
        <LoomMark className="mb-6 size-9 text-accent" />
        <h1 className="mb-2 font-semibold text-2xl tracking-tight">Sign in to Loom</h1>
        <p className="mb-7 text-soft">
          Open the link printed by{' '}
          <code className="rounded-md bg-hover px-1.5 py-0.5 font-mono text-[13px]">npm start</code>
          , or paste an API key.
        </p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (key.trim() !== '') login.mutate();
          }}
        >
          <label htmlFor="api-key" className="mb-1.5 block font-medium text-sm">
            API key
          </label>
          <input
            id="api-key"
            type="password"
            autoComplete="current-password"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
            aria-invalid={login.isError}
            aria-describedby={login.isError ? 'sign-in-error' : undefined}
            data-testid="api-key"
            className="w-full rounded-xl border border-line-strong bg-surface px-3.5 py-2.5 font-mono text-sm outline-none focus:border-accent focus:ring-3 focus:ring-accent/20"
          />
          {login.isError && (
            <p id="sign-in-error" role="alert" className="mt-2 text-bad text-sm">
              {errorMessage(login.error)}
            </p>
          )}
          <button
            type="submit"
            disabled={key.trim() === '' || login.isPending}
            data-testid="sign-in-submit"
            className="mt-4 flex w-full items-center justify-center gap-2 rounded-xl bg-ink px-4 py-2.5 font-medium text-canvas transition-opacity hover:opacity-90 disabled:opacity-40"
          >
            {login.isPending && <Spinner />}
            Sign in
          </button>
        </form>
      </div>
    </main>
  );
}
