import { type ReactNode, useEffect, useId, useRef } from 'react';
import { CrossIcon } from './icons.tsx';

interface DialogProps {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
  isWide?: boolean;
  testId: string;
}

/** Something above the page that has all the attention; Escape, the cross and a click beside it close it. */
export function Dialog({ title, onClose, children, footer, isWide, testId }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key for it
    <dialog
      ref={element}
      aria-labelledby={titleId}
      data-testid={testId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === element.current && onClose()}
      className={`m-auto max-h-[calc(100dvh-2rem)] w-[calc(100%-2rem)] ${isWide ? 'max-w-4xl' : 'max-w-lg'} overflow-hidden rounded-2xl border border-line bg-surface text-ink shadow-2xl backdrop:bg-black/45`}
    >
      <div className="flex max-h-[calc(100dvh-2rem)] flex-col">
        <header className="flex shrink-0 items-center gap-3 border-line border-b py-2.5 pr-2.5 pl-4">
          <h2 id={titleId} className="wrap-anywhere min-w-0 flex-1 font-semibold text-sm">
            {title}
          </h2>
          <button
            type="button"
            aria-label="Close"
            onClick={onClose}
            className="rounded-lg p-1.5 text-soft hover:bg-hover hover:text-ink"
          >
            <CrossIcon />
          </button>
        </header>
        <div className="min-h-0 flex-1 overflow-auto">{children}</div>
        {footer && (
          <footer className="flex shrink-0 flex-wrap items-center gap-2 border-line border-t px-4 py-2.5">
            {footer}
          </footer>
        )}
      </div>
    </dialog>
  );
}
