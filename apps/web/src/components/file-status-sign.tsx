import type { ChangedFile } from '../http/task-files.ts';
import { type Tone, toneText } from './tone.ts';

const looks: Record<ChangedFile['status'], { letter: string; tone: Tone }> = {
  created: { letter: 'A', tone: 'good' },
  modified: { letter: 'M', tone: 'warn' },
  deleted: { letter: 'D', tone: 'bad' },
  unchanged: { letter: '·', tone: 'quiet' },
};

/** What became of a file, in a letter. */
export function FileStatusSign({ status }: { status: ChangedFile['status'] }) {
  const { letter, tone } = looks[status];
  return (
    <span
      title={status}
      className={`w-3.5 shrink-0 text-center font-mono font-semibold text-xs ${toneText[tone]}`}
    >
      <span aria-hidden="true">{letter}</span>
      <span className="sr-only">{status}</span>
    </span>
  );
}
