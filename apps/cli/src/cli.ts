import { readEnv } from './env.ts';
import { runCli } from './run-cli.ts';

// A reader that left, as in `loom tasks | head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { stdin, stdout, stderr } = process;
const code = await runCli(process.argv.slice(2), {
  env: readEnv(),
  stdin,
  stdout,
  stderr,
  signals: process,
});
// Pipes are written asynchronously: the last result must be out before the process ends.
if (code !== null) stdout.write('', () => process.exit(code));
