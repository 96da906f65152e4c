import type { Attempt, Subtask } from '@loom/shared/api';
import type { ReactNode } from 'react';
import { elapsed } from '../format/elapsed.ts';
import { VerdictBadge } from './verdict-badge.tsx';
import { VerdictDetails } from './verdict-details.tsx';

/** Everything known of a subtask: what it waits for, what it said, each attempt with its verdict. */
export function SubtaskDetails({ subtask }: { subtask: Subtask }) {
  const latest = subtask.attempts.at(-1);
  const earlier = subtask.attempts.slice(0, -1);
  return (
    <div className="appear mt-1 mr-2 mb-2 ml-9.5 space-y-3 text-[13px] text-soft leading-normal">
      {subtask.depends_on.length > 0 && (
        <Field name="After">
          <code className="font-mono text-xs">{subtask.depends_on.join(', ')}</code>
        </Field>
      )}
      {subtask.summary && (
        <Field name="Result">
          <p className="wrap-anywhere whitespace-pre-wrap">{subtask.summary}</p>
        </Field>
      )}
      {subtask.error && (
        <Field name="Error">
          <p className="wrap-anywhere text-bad">{subtask.error.message}</p>
        </Field>
      )}
      {latest?.verdict && (
        <Field name="Verification">
          <VerdictDetails verdict={latest.verdict} />
        </Field>
      )}
      {latest && <p className="text-faint text-xs">{attemptFacts(latest)}</p>}
      {earlier.length > 0 && (
        <Field name="Earlier attempts">
          <ol className="space-y-2">
            {earlier.map((attempt) => (
              <EarlierAttempt key={attempt.number} attempt={attempt} />
            ))}
          </ol>
        </Field>
      )}
    </div>
  );
}

function Field({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section>
      <h4 className="mb-0.5 font-medium text-faint text-xs">{name}</h4>
      {children}
    </section>
  );
}

function EarlierAttempt({ attempt }: { attempt: Attempt }) {
  return (
    <li className="border-line-strong border-l-2 pl-3">
      <p className="flex flex-wrap items-center gap-2">
        <span>{attemptFacts(attempt)}</span>
        {attempt.verdict && <VerdictBadge verdict={attempt.verdict} />}
      </p>
      {attempt.error && <p className="wrap-anywhere text-bad">{attempt.error.message}</p>}
      {attempt.verdict && <VerdictDetails verdict={attempt.verdict} />}
    </li>
  );
}

function attemptFacts(attempt: Attempt): string {
  const facts = [`Attempt ${attempt.number}`];
  if (attempt.model) facts.push(attempt.model);
  if (attempt.started_at && attempt.ended_at)
    facts.push(elapsed(Date.parse(attempt.ended_at) - Date.parse(attempt.started_at)));
  return facts.join(' · ');
}
