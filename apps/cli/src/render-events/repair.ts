import { numberOf, textOf } from '../stream-event.ts';
import { detail, name, type Renderers, words } from './parts.ts';

/** What the engine does about results and failures that do not stand as they are. */
export const repairRenderers: Renderers = {
  'subtask.outcome_stale': (event, c) =>
    c.dim(`  ${name(event)}: the plan has changed, this result is put aside`),
  'verification.retrying': (event, c) =>
    `${c.yellow('↻')} ${name(event)} is verified again${detail(event, 'feedback', c)}`,
  'verification.contradicted': (event, c) =>
    `${c.yellow('!')} ${name(event)}: a check contradicts the verifier${detail(event, 'feedback', c)}`,
  'remediation.queued': (event, c) => {
    const must = event.data.blocking === true ? 'must be' : 'is to be';
    const due = textOf(event, 'due_at');
    const when = due === '' ? '' : `, due ${due}`;
    const why = words(textOf(event, 'reason_code'));
    return c.yellow(`↻ ${name(event)} ${must} set right (${why}${when})`);
  },
  'remediation.attempted': (event, c) =>
    `${c.yellow('↻')} ${name(event)}: setting right, try ${numberOf(event, 'number') ?? '?'}`,
  'remediation.resolved': (event, c) => `${c.green('✓')} ${name(event)} was set right`,
  'remediation.failed': (event, c) =>
    `${c.red('✗')} ${name(event)} could not be set right${detail(event, 'reason', c)}`,
  'remediation.expired': (event, c) =>
    `${c.red('✗')} ${name(event)} was not set right in time${detail(event, 'reason', c)}`,
};
