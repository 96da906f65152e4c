import type { ComponentProps } from 'react';

const looks = {
  plain: 'border border-line-strong bg-surface text-ink hover:bg-hover',
  primary: 'border border-transparent bg-ink text-canvas hover:opacity-85',
  danger: 'border border-transparent bg-bad text-canvas hover:opacity-85',
};

/** A button with a word on it. */
export function Button({
  look = 'plain',
  ...rest
}: ComponentProps<'button'> & { look?: keyof typeof looks }) {
  return (
    <button
      type="button"
      {...rest}
      className={`rounded-lg px-3.5 py-1 text-sm leading-6 transition-opacity disabled:opacity-40 ${looks[look]}`}
    />
  );
}
