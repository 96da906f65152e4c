import { setUp } from './setup.mjs';

/**
 * Sets the clone up and becomes the CLI: in this very process, so that signals, the terminal and
 * the exit code need no passing on.
 */
export async function runCli(command) {
  await setUp();
  const cli = new URL('../apps/cli/dist/cli.js', import.meta.url);
  process.argv = [process.argv[0], cli.pathname, command, ...process.argv.slice(2)];
  await import(cli.href);
}
