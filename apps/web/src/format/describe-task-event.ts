import type { LoggedEvent } from '@loom/shared/events';
import type { JsonValue } from '@loom/shared/json';
import type { Tone } from '../components/tone.ts';
import { describeCall } from './describe-call.ts';

/** A line of a task's log for people. */
interface ActivityLine {
  tone: Tone;
  text: string;
}

type Data = LoggedEvent['data'];
type Describe = (data: Data) => ActivityLine | null;

const quiet = (text: string): ActivityLine => ({ tone: 'quiet', text });
const said = (value: JsonValue | undefined) =>
  typeof value === 'string' && value !== '' ? `: ${value}` : '';
const messageOf = (value: JsonValue | undefined) =>
  value !== null && typeof value === 'object' && 'message' in value
    ? said(value.message)
    : said(value);

const lines: Partial<Record<LoggedEvent['type'], Describe>> = {
  'task.planning': () => quiet('Planning'),
  'task.plan_ready': () => quiet('The plan is ready'),
  'task.plan_degraded': () => ({ tone: 'warn', text: 'Goes on without a proper plan' }),
  'task.replanning': ({ reason }) => ({ tone: 'warn', text: `Planning anew${said(reason)}` }),
  'task.paused': () => quiet('Paused'),
  'task.resumed': () => quiet('Goes on'),
  'task.steered': ({ guidance }) => ({ tone: 'active', text: `Told${said(guidance)}` }),
  'task.steer_acknowledged': () => ({ tone: 'active', text: 'Heard what it was told' }),
  'task.budget_exhausted': () => ({ tone: 'warn', text: 'A budget is used up' }),
  'task.cancel_requested': () => ({ tone: 'warn', text: 'Asked to stop' }),
  'subtask.started': () => quiet('Started'),
  'subtask.completed': () => ({ tone: 'good', text: 'Completed' }),
  'subtask.failed': ({ error, reason }) => ({
    tone: 'bad',
    text: `Failed${messageOf(error) || said(reason)}`,
  }),
  'subtask.retrying': ({ reason }) => ({ tone: 'warn', text: `Tries again${said(reason)}` }),
  'subtask.skipped': () => quiet('Skipped'),
  'verification.failed': ({ feedback }) => ({ tone: 'bad', text: `Rejected${said(feedback)}` }),
  'verification.passed': () => ({ tone: 'good', text: 'Verified' }),
  'approval.requested': ({ tool, kind }) => ({
    tone: 'warn',
    text: `Asks for approval: ${tool ?? kind}`,
  }),
  'approval.decided': ({ status }) => quiet(`Approval ${status}`),
  'approval.expired': () => quiet('Nobody answered in time'),
  'tool.call': ({ tool, arguments: args }) => quiet(callText(String(tool ?? ''), args)),
  'tool.error': ({ tool, text }) => ({ tone: 'bad', text: `${tool} failed${said(text)}` }),
  'tool.in_doubt': ({ tool }) => ({ tone: 'warn', text: `It is not known whether ${tool} ran` }),
  'model.retry': () => ({ tone: 'warn', text: 'The model is asked again' }),
  'model.parked': () => ({ tone: 'warn', text: 'Waits for the model' }),
  'files.reverted': () => ({ tone: 'warn', text: 'Changes were taken back' }),
  'run.recovered': () => quiet('Goes on after an interruption'),
};

/** What an event says to a person; null for what only matters to machines. */
export function describeTaskEvent({ type, data }: LoggedEvent): ActivityLine | null {
  return lines[type]?.(data) ?? null;
}

/** A call by its name and what it is about; long arguments travel cut, and are then no longer JSON. */
export function callText(name: string, args: unknown): string {
  let value: JsonValue = null;
  try {
    value = typeof args === 'string' ? (JSON.parse(args) as JsonValue) : null;
  } catch {}
  return `${name} ${describeCall({ id: '', name, arguments: value })}`.trim();
}
