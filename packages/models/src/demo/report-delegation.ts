import { titleOf } from './title-of.ts';

const openings: Record<string, string> = {
  completed: 'Done.',
  failed: 'Not all of it worked out.',
  cancelled: 'The work was stopped.',
};

const step = /^\s*\[(.)\] [^:]+: (.+?)(?: — (.+))?$/gm;
const file = /([\w./-]+\.\w+)\.?$/;

/** The result of a delegation in a few words: what was made and where, what was not, and why. */
export function reportDelegation(result: string): string {
  const status = /^Task (\w+):/.exec(result)?.[1] ?? '';
  const opening = openings[status];
  const steps = [...result.matchAll(step)];
  if (opening === undefined || steps.length === 0) return result;
  const verification = /^Verification: \w+ \((.+)\)$/m.exec(result)?.[1];
  const closing = verification === undefined ? '' : ` ${capital(verification)}.`;
  const lines = steps.map(([, mark = '', description = '', note = '']) =>
    mark === 'x' ? made(description, note) : `- ${titleOf(description)}: not done. ${note}`.trim(),
  );
  return `${opening}${closing}\n\n${lines.join('\n')}`;
}

function made(description: string, note: string): string {
  const path = file.exec(note)?.[1] ?? file.exec(description)?.[1];
  const title = titleOf(description);
  return path === undefined || path === title ? `- ${title}` : `- ${title}: \`${path}\``;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
