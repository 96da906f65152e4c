import { useState } from 'react';

const longText = 1_400;

/** What the person wrote, letter for letter. */
export function UserMessage({ text, isQueued }: { text: string; isQueued: boolean }) {
  const [isWhole, setWhole] = useState(text.length <= longText);
  return (
    <article
      data-testid="message"
      data-role="user"
      aria-label="You"
      className="appear flex flex-col items-end pt-2"
    >
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-hover px-4 py-2.5">
        <p className="wrap-anywhere whitespace-pre-wrap">
          {isWhole ? text : `${text.slice(0, longText)}…`}
        </p>
        {text.length > longText && (
          <button
            type="button"
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
            className="mt-1 text-soft text-sm underline underline-offset-3 hover:text-ink"
          >
            {isWhole ? 'Show less' : 'Show all'}
          </button>
        )}
      </div>
      {isQueued && <p className="mt-1 pr-1 text-faint text-xs">Waits for the turn before it</p>}
    </article>
  );
}
