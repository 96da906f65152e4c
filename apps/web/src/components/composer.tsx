import { errorMessage } from '@loom/shared/app-error';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { IfBusy } from '../http/gateway.ts';
import { SendIcon, Spinner, StopIcon } from './icons.tsx';
import { WhenToSend } from './when-to-send.tsx';

interface ComposerProps {
  draft: string;
  onDraft: (text: string) => void;
  onSend: (content: string, ifBusy?: IfBusy) => Promise<void>;
  onStop?: () => Promise<void>;
  placeholder: string;
  /** `busy`: a turn runs, can be stopped, and a message says when it is meant; `closed`: nothing more can be said. */
  mode: 'ready' | 'busy' | 'closed';
}

/** Where messages are written: Enter sends, Shift+Enter begins a new line. */
export function Composer({ draft, onDraft, onSend, onStop, placeholder, mode }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [ifBusy, setIfBusy] = useState<IfBusy>('queue');
  const hasText = draft.trim() !== '';
  const canSend = mode !== 'closed' && !isPending && hasText;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, 240)}px`;
  }, [draft]);

  useEffect(() => {
    // On touch screens taking the focus would open the keyboard over the conversation.
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, []);

  const run = async (action: () => Promise<void>) => {
    setPending(true);
    setError(null);
    try {
      await action();
    } catch (cause) {
      setError(errorMessage(cause));
    } finally {
      setPending(false);
    }
  };
  const send = () =>
    run(async () => {
      await onSend(draft, mode === 'busy' ? ifBusy : undefined);
      onDraft('');
    });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canSend) void send();
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) void send();
      }}
    >
      {error && (
        <p role="alert" className="mb-2 px-1 text-bad text-sm">
          {error}
        </p>
      )}
      <div className="flex items-end gap-2 rounded-2xl border border-line-strong bg-surface p-2 pl-4 shadow-[0_1px_3px_rgb(0_0_0/0.05),0_8px_24px_-12px_rgb(0_0_0/0.12)] transition-colors focus-within:border-faint/60">
        <label htmlFor="composer" className="sr-only">
          Message
        </label>
        <textarea
          id="composer"
          ref={field}
          rows={1}
          value={draft}
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={onKeyDown}
          placeholder={placeholder}
          disabled={mode === 'closed'}
          data-testid="composer"
          className="max-h-60 min-w-0 flex-1 resize-none bg-transparent py-1.5 leading-6 outline-none placeholder:text-faint"
        />
        {mode === 'busy' && hasText && <WhenToSend value={ifBusy} onChange={setIfBusy} />}
        {mode === 'busy' && (
          <button
            type="button"
            aria-label="Stop"
            title="Stop this turn"
            disabled={isPending}
            onClick={() => onStop && void run(onStop)}
            data-testid="stop"
            className="grid size-9 shrink-0 place-items-center rounded-xl bg-hover text-ink hover:bg-line disabled:opacity-50"
          >
            <StopIcon />
          </button>
        )}
        {(mode !== 'busy' || hasText) && (
          <button
            type="submit"
            aria-label="Send"
            title="Send"
            disabled={!canSend}
            data-testid="send"
            className="grid size-9 shrink-0 place-items-center rounded-xl bg-ink text-canvas transition-opacity hover:opacity-85 disabled:opacity-25"
          >
            {isPending ? <Spinner /> : <SendIcon />}
          </button>
        )}
      </div>
    </form>
  );
}
