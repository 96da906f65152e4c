import { Markdown } from './markdown.tsx';

/** What the model wrote; `isLive` while it is still writing. */
export function AssistantMessage({ text, isLive }: { text: string; isLive: boolean }) {
  return (
    <article
      data-testid="message"
      data-role="assistant"
      aria-label="Loom"
      // Readers are told once the text is whole, not at every word.
      aria-busy={isLive}
    >
      <Markdown text={text} isLive={isLive} />
    </article>
  );
}
