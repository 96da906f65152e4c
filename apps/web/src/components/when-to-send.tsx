import type { IfBusy } from '../http/gateway.ts';

const choices: Record<IfBusy, string> = {
  queue: 'After this turn',
  steer: 'Into this turn',
  interrupt: 'Stop, then this',
};

/** What a message does while a turn is at work. */
export function WhenToSend(props: { value: IfBusy; onChange: (value: IfBusy) => void }) {
  return (
    <select
      aria-label="When to send"
      data-testid="when-to-send"
      value={props.value}
      onChange={(event) => props.onChange(event.target.value as IfBusy)}
      className="h-9 min-w-0 max-w-36 shrink rounded-xl border border-line bg-surface px-2 text-soft text-xs"
    >
      {Object.entries(choices).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
