import type { ToolUse } from '../state/transcript.ts';
import { Markdown } from './markdown.tsx';

interface QuestionProps {
  use: ToolUse;
  onAnswer: ((text: string) => Promise<void>) | undefined;
}

/** A question the model put to the person, with its options while it waits. */
export function Question({ use, onAnswer }: QuestionProps) {
  const { question, options } = readQuestion(use.call.arguments);
  const isOpen = use.result === null && onAnswer !== undefined;
  return (
    <section
      data-testid="question"
      aria-label="Question"
      className="rounded-2xl border border-accent/30 bg-accent-soft px-4 py-3"
    >
      <Markdown text={question} isLive={false} />
      {isOpen && options.length > 0 && (
        <div className="mt-3 flex flex-wrap gap-2">
          {options.map((option) => (
            <button
              key={option}
              type="button"
              onClick={() => void onAnswer(option).catch(() => {})}
              className="rounded-full border border-line-strong bg-surface px-3.5 py-1 text-sm hover:bg-hover"
            >
              {option}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}

function readQuestion(args: unknown): { question: string; options: string[] } {
  const value = args !== null && typeof args === 'object' ? args : {};
  const question = 'question' in value ? String(value.question) : 'Please answer.';
  const options = 'options' in value && Array.isArray(value.options) ? value.options : [];
  return { question, options: options.filter((option) => typeof option === 'string') };
}
