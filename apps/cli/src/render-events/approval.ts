import { answerCommands, describeApproval, questionSchema } from '../render-approval.ts';
import { type StreamEvent, textOf } from '../stream-event.ts';
import { detail, name, type Renderers, words } from './parts.ts';

/** Questions to a person, with the command that answers them. */
export const approvalRenderers: Renderers = {
  'approval.requested': (event, c) => {
    const id = textOf(event, 'approval_id') || textOf(event, 'id');
    const until = textOf(event, 'expires_at');
    const line = `? ${question(event)}${until === '' ? '' : ` (until ${until})`}`;
    return `${c.bold(c.yellow(line))}\n  answer with: ${answerCommands(id)}`;
  },
  'approval.decided': (event, c) => {
    const status = words(textOf(event, 'status'));
    const mark = status === 'approved' ? c.green('✓') : c.red('✗');
    return `${mark} ${name(event)}: ${status}${detail(event, 'reason', c)}`;
  },
  'approval.expired': (event, c) =>
    `${c.yellow('!')} ${name(event)}: the question is off the table${detail(event, 'reason', c)}`,
};

function question(event: StreamEvent): string {
  const asked = questionSchema.safeParse(event.data);
  if (!asked.success) return `${name(event)} waits for an answer`;
  return describeApproval({ ...asked.data, subtask_id: event.subtask_id ?? null });
}
