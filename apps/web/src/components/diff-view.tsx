import { useState } from 'react';
import { type DiffLine, parseDiff } from '../format/parse-diff.ts';

const linesShown = 1_500;

const looks: Record<DiffLine['kind'], string> = {
  same: '',
  added: 'bg-good-soft text-good',
  removed: 'bg-bad-soft text-bad',
  hunk: 'bg-sunken text-faint',
  note: 'text-faint italic',
};
const signs: Partial<Record<DiffLine['kind'], string>> = { added: '+', removed: '-' };

/** A diff line by line, with the numbers before and after. */
export function DiffView({ diff }: { diff: string }) {
  const [isWhole, setWhole] = useState(false);
  const lines = parseDiff(diff);
  const shown = isWhole ? lines : lines.slice(0, linesShown);
  return (
    <div className="min-w-full py-1.5 font-mono text-xs leading-5" data-testid="diff">
      <table className="w-full border-collapse">
        <tbody>
          {shown.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff never move
            <tr key={index} data-kind={line.kind} className={looks[line.kind]}>
              <LineNumber value={line.before} />
              <LineNumber value={line.after} />
              <td className="w-5 select-none text-center align-top">{signs[line.kind] ?? ''}</td>
              <td className="wrap-anywhere whitespace-pre-wrap pr-4">{line.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < lines.length && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="m-3 font-sans text-soft text-sm underline underline-offset-3"
        >
          Show {lines.length - shown.length} more lines
        </button>
      )}
    </div>
  );
}

function LineNumber({ value }: { value: number | null }) {
  return (
    <td className="w-10 select-none pr-2 text-right align-top text-faint tabular-nums max-sm:hidden">
      {value}
    </td>
  );
}
