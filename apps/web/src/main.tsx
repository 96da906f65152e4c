import { AppError } from '@loom/shared/app-error';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './styles.css';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no element #root');

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only an unreachable gateway is worth another try; a refusal stays one.
      retry: (count, error) => count < 3 && error instanceof AppError && error.retryable,
    },
  },
});

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
