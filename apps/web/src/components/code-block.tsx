import { type ComponentProps, isValidElement, useRef, useState } from 'react';
import { CheckIcon, CopyIcon } from './icons.tsx';

/** A fenced block with its language and a button that copies it. */
export function CodeBlock({ children }: ComponentProps<'pre'>) {
  const block = useRef<HTMLPreElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(block.current?.textContent ?? '');
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <div className="code-block overflow-hidden rounded-xl border border-line bg-sunken">
      <div className="flex h-8 items-center justify-between border-line border-b pr-1.5 pl-4 text-faint text-xs">
        <span className="font-mono">{languageOf(children)}</span>
        {/* The clipboard exists in secure contexts only. */}
        {'clipboard' in navigator && (
          <button
            type="button"
            onClick={() => void copy()}
            className="flex items-center gap-1.5 rounded-md px-2 py-0.5 hover:bg-hover hover:text-ink"
          >
            {isCopied ? <CheckIcon className="size-3.5" /> : <CopyIcon className="size-3.5" />}
            {isCopied ? 'Copied' : 'Copy'}
          </button>
        )}
      </div>
      <pre ref={block}>{children}</pre>
    </div>
  );
}

function languageOf(children: unknown): string {
  if (!isValidElement<{ className?: string }>(children)) return '';
  return /language-(\S+)/.exec(children.props.className ?? '')?.[1] ?? '';
}
