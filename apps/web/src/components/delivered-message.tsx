import { firstLine } from '@loom/shared/text';
import { useEffect, useState } from 'react';
import { ChevronIcon, DownIcon } from './icons.tsx';

/** What came into the conversation from elsewhere, such as the result of a task in the background. */
export function DeliveredMessage({ text, isFocused }: { text: string; isFocused: boolean }) {
  const [isOpen, setOpen] = useState(isFocused);
  useEffect(() => {
    if (isFocused) setOpen(true);
  }, [isFocused]);
  return (
    <article
      data-testid="message"
      data-role="system"
      aria-label="Delivered"
      className="rounded-xl border border-line bg-sunken px-3.5 py-2 text-sm"
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-center gap-2.5 text-left text-soft"
      >
        <DownIcon className="size-3.5 text-accent" />
        <span className="min-w-0 flex-1 truncate">{firstLine(text, 200)}</span>
        <ChevronIcon
          className={`size-3.5 text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      {isOpen && (
        <pre className="wrap-anywhere mt-2 max-h-80 overflow-y-auto whitespace-pre-wrap font-mono text-xs leading-relaxed">
          {text}
        </pre>
      )}
    </article>
  );
}
