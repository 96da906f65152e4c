import { createInterface } from 'node:readline';
import type { Approval, DecideApproval } from '@loom/shared/approval';
import type { CliIo } from './command-context.ts';
import { CommandFailure } from './command-failure.ts';
import { describeApproval } from './render-approval.ts';
import type { Terminal } from './terminal.ts';

type Decide = (id: string, body: DecideApproval) => Promise<Approval>;

const answers: Record<string, DecideApproval | 'leave' | 'next'> = {
  y: { decision: 'approve', scope: 'once' },
  yes: { decision: 'approve', scope: 'once' },
  a: { decision: 'approve', scope: 'session' },
  always: { decision: 'approve', scope: 'session' },
  n: { decision: 'deny', scope: 'once' },
  no: { decision: 'deny', scope: 'once' },
  '': 'next',
  s: 'next',
  q: 'leave',
};

/** Puts open questions to whoever sits in front of the terminal, oldest first. */
export async function askApprovals(
  { stdin, stderr }: Pick<CliIo, 'stdin' | 'stderr'>,
  terminal: Terminal,
  approvals: Approval[],
  decide: Decide,
): Promise<void> {
  const lines = createInterface({
    input: stdin,
    output: stderr,
    terminal: true,
    prompt: 'allow it? [y]es, [n]o, [a]lways, [s]kip, [q]uit: ',
  });
  const typed = lines[Symbol.asyncIterator]();
  try {
    for (const approval of approvals.toReversed()) {
      terminal.note(describeApproval(approval));
      const answer = await readAnswer(async () => {
        lines.prompt();
        // Ctrl-C, Ctrl-D and the end of the input close it: the rest stays unanswered.
        return (await typed.next()).value ?? 'q';
      });
      if (answer === 'leave') return;
      if (answer === 'next') continue;
      await answerOrComplain(terminal, approval.id, () => decide(approval.id, answer));
    }
  } finally {
    lines.close();
  }
}

async function readAnswer(
  readLine: () => Promise<string>,
): Promise<DecideApproval | 'leave' | 'next'> {
  for (;;) {
    const key = (await readLine()).trim().toLowerCase();
    const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
    if (answer !== undefined) return answer;
  }
}

/** Someone else may have been quicker: that is told, and the next question is put. */
async function answerOrComplain(
  terminal: Terminal,
  id: string,
  decide: () => Promise<Approval>,
): Promise<void> {
  try {
    terminal.print(`${id}: ${(await decide()).status}`);
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.problem === null) throw error;
    terminal.complain(terminal.colors.red(error.message));
  }
}
