import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type CliIo, type CommandContext, createCommandContext } from './command-context.ts';
import { addApproveCommand } from './commands/approve.ts';
import { addCancelCommand } from './commands/cancel.ts';
import { addChatCommand } from './commands/chat.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDiffCommand } from './commands/diff.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addExportCommand } from './commands/export.ts';
import { addFilesCommand } from './commands/files.ts';
import { addKeysCommand } from './commands/keys.ts';
import { addLearnedCommand } from './commands/learned.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addPauseCommands } from './commands/pause.ts';
import { addRecallCommand } from './commands/recall.ts';
import { addReplayCommand } from './commands/replay.ts';
import { addRetryCommand } from './commands/retry.ts';
import { addRevertCommand } from './commands/revert.ts';
import { addRunCommand } from './commands/run.ts';
import { addServerCommands } from './commands/server-commands.ts';
import { addSessionsCommand } from './commands/sessions.ts';
import { addSkipCommand } from './commands/skip.ts';
import { addSteerCommand } from './commands/steer.ts';
import { addTasksCommand } from './commands/tasks.ts';
import { addWatchCommand } from './commands/watch.ts';
import { exitCodesHelp } from './exit-codes.ts';

/** The command line as commander knows it. It throws instead of ending the process. */
export function createProgram(io: CliIo): { program: Command; context: CommandContext } {
  const program = new Command('loom')
    .description('A conversation that can do real work, reliably, at any scale.')
    .version(readVersion())
    .option('--url <url>', 'gateway to speak to (LOOM_URL, http://127.0.0.1:7420)')
    .option('--key <key>', 'API key (LOOM_API_KEY, LOOM_ADMIN_KEY, <data dir>/admin.key)')
    .option('--json', 'results for machines: one JSON value, or one a line for streams')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('See "loom --help".')
    .addHelpText('after', exitCodesHelp)
    .exitOverride();
  const context = createCommandContext(program, io);
  addServerCommands(program, context);
  addChatCommand(program, context);
  addRunCommand(program, context);
  addSessionsCommand(program, context);
  addExportCommand(program, context);
  addRecallCommand(program, context);
  addTasksCommand(program, context);
  addWatchCommand(program, context);
  addSteerCommand(program, context);
  addApproveCommand(program, context);
  addPauseCommands(program, context);
  addCancelCommand(program, context);
  addRetryCommand(program, context);
  addSkipCommand(program, context);
  addFilesCommand(program, context);
  addDiffCommand(program, context);
  addRevertCommand(program, context);
  addLearnedCommand(program, context);
  addKeysCommand(program, context);
  addMcpCommand(program, context);
  addReplayCommand(program, context);
  addDoctorCommand(program, context);
  addDemoCommand(program, context);
  return { program, context };
}

function readVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String(JSON.parse(manifest).version);
}
