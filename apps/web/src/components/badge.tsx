import type { ReactNode } from 'react';
import { type Tone, toneBadge } from './tone.ts';

/** A word on a tinted ground. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex shrink-0 items-center gap-1 whitespace-nowrap rounded-full px-2 py-px font-medium text-xs leading-5 ${toneBadge[tone]}`}
    >
      {children}
    </span>
  );
}
