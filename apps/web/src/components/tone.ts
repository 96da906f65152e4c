/** The few moods of the page; each status and verdict has one. */
export type Tone = 'quiet' | 'active' | 'good' | 'warn' | 'bad';

export const toneText: Record<Tone, string> = {
  quiet: 'text-faint',
  active: 'text-accent',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
};

export const toneBadge: Record<Tone, string> = {
  quiet: 'bg-hover text-soft',
  active: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
};
