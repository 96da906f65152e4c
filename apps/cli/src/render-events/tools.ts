import { plainText } from '../plain-text.ts';
import { numberOf, textOf } from '../stream-event.ts';
import { detail, name, type Renderers, toolOf } from './parts.ts';

/** How events of tool calls and of what they leave behind are shown. */
export const toolRenderers: Renderers = {
  'tool.in_doubt': (event, c) =>
    c.yellow(`! ${name(event)}: nobody knows whether a call of ${toolOf(event)} took effect`),
  'tool.deduplicated': (event, c) =>
    c.dim(`  ${name(event)}: ${toolOf(event)} was done by an earlier attempt, so not again`),
  'tool.error': (event, c) => c.dim(`  ${name(event)}: ${toolOf(event)} failed`),
  'tool.progress': (event, c) => {
    const line = plainText(lastLine(textOf(event, 'text')));
    return line === '' ? null : c.dim(`  ${name(event)}: ${line}`);
  },
  'artifact.stored': (event, c) => {
    const kept = `${plainText(textOf(event, 'name'))} as ${plainText(textOf(event, 'ref'))}`;
    return c.dim(`  ${name(event)}: kept ${kept} (${numberOf(event, 'size') ?? 0} bytes)`);
  },
  'completion.missing': (event, c) =>
    c.yellow(`! ${name(event)} ended without its completion block${detail(event, 'reason', c)}`),
};

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.slice(0, 100) ?? '';
}
