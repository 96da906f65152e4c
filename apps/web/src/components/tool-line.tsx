import { useEffect, useState } from 'react';
import { describeCall } from '../format/describe-call.ts';
import type { ToolUse } from '../state/transcript.ts';
import { CheckIcon, ChevronIcon, CrossIcon, DashIcon, Spinner } from './icons.tsx';

const longestShown = 20_000;

/** One tool call in one line; opened, as when it was looked for, its arguments and its result. */
export function ToolLine({ use, isFocused }: { use: ToolUse; isFocused: boolean }) {
  const [isOpen, setOpen] = useState(isFocused);
  useEffect(() => {
    if (isFocused) setOpen(true);
  }, [isFocused]);
  const status = use.is_failed
    ? 'failed'
    : use.result
      ? 'done'
      : use.is_over
        ? 'stopped'
        : 'running';
  return (
    <div data-testid="tool-call" data-status={status} className="text-sm">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-mx-2 flex w-[calc(100%+1rem)] items-center gap-2 rounded-lg px-2 py-1 text-left text-soft hover:bg-hover"
      >
        {status === 'running' && <Spinner className="size-3.5 text-accent" />}
        {status === 'done' && <CheckIcon className="size-3.5 text-faint" />}
        {status === 'failed' && <CrossIcon className="size-3.5 text-bad" />}
        {status === 'stopped' && <DashIcon className="size-3.5 text-faint" />}
        <span className="sr-only">{status}</span>
        <span className="shrink-0 font-mono text-[13px]">{use.call.name}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-[13px] text-faint">
          {describeCall(use.call)}
        </span>
        <ChevronIcon
          className={`size-3.5 text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      {isOpen && (
        <div className="mt-1.5 mb-3 overflow-hidden rounded-xl border border-line bg-sunken font-mono text-xs leading-relaxed">
          <Block title="Arguments" text={showValue(use.call.arguments)} />
          {use.result && <Block title="Result" text={use.result.content} />}
        </div>
      )}
    </div>
  );
}

function Block({ title, text }: { title: string; text: string }) {
  return (
    <section className="border-line not-first:border-t px-3.5 py-2.5">
      <h4 className="mb-1 font-sans text-faint">{title}</h4>
      <pre className="wrap-anywhere max-h-80 overflow-y-auto whitespace-pre-wrap">
        {text.slice(0, longestShown)}
        {text.length > longestShown && '\n… (cut here; the whole text is in the session)'}
      </pre>
    </section>
  );
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
