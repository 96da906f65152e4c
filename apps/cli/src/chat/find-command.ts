import { nearestKey } from '@loom/shared/nearest-key';
import { type ChatCommand, wrongUsage } from './chat-command.ts';
import { approveCommand, denyCommand } from './commands/answer.ts';
import { historyCommand, recallCommand } from './commands/archive.ts';
import { interruptCommand, stopCommand, todosCommand } from './commands/turn.ts';
import { runCommand, steerCommand, tasksCommand } from './commands/work.ts';

const helpCommand: ChatCommand = {
  usage: '/help',
  description: 'show this list',
  async run({ terminal }) {
    const width = Math.max(...[...shown, leaving].map(({ usage }) => usage.length));
    for (const { usage, description } of [...shown, leaving]) {
      terminal.print(`${usage.padEnd(width)}  ${description}`);
    }
    terminal.print('Begin with // to say something that begins with a slash.');
  },
};

const shown: ChatCommand[] = [
  helpCommand,
  runCommand,
  tasksCommand,
  steerCommand,
  approveCommand,
  denyCommand,
  recallCommand,
  historyCommand,
  todosCommand,
  stopCommand,
  interruptCommand,
];
const leaving = { usage: '/quit', description: 'leave; what is at work goes on' };

const commands = new Map(shown.map((command) => [nameOf(command.usage), command]));
const leavingNames = ['quit', 'exit'];

/** The command of this name, or `leave`; an unknown one is answered with the nearest. */
export function findCommand(name: string): ChatCommand | 'leave' {
  if (leavingNames.includes(name)) return 'leave';
  const command = commands.get(name);
  if (command !== undefined) return command;
  const nearest = nearestKey(name, [...commands.keys(), ...leavingNames])?.key ?? 'help';
  throw wrongUsage(
    `There is no /${name}; did you mean /${nearest}? /help lists all. To say it, begin with //.`,
  );
}

function nameOf(usage: string): string {
  return usage.slice(1).split(' ', 1)[0] ?? '';
}
