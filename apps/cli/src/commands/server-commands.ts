import { existsSync } from 'node:fs';
import { serviceRoles } from '@loom/shared/queues';
import { Argument, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';

interface ServerFlags {
  port?: string;
  host?: string;
  config?: string;
  dataDir?: string;
  log?: string;
}

/** What the server's bundle offers; it owns signals, banner and exit code. */
interface ServerModule {
  up(options: { flags: Record<string, unknown> }): Promise<void>;
  serve(role: string, options: { flags: Record<string, unknown> }): Promise<void>;
}

/** `loom up` and `loom serve <role>`: the whole product in one process, or one service of it. */
export function addServerCommands(program: Command, context: CommandContext): void {
  const up = program.command('up').description('start everything in this process and stay');
  withServerFlags(up).action((flags: ServerFlags) =>
    context.run(async () => {
      await (await loadServer()).up({ flags: configFlags(flags) });
      return null;
    }),
  );
  const role = new Argument('<role>', 'which service').choices([...serviceRoles]);
  const serve = program
    .command('serve')
    .description('start one service of a scaled-out deployment')
    .addArgument(role);
  withServerFlags(serve).action((name: string, flags: ServerFlags) =>
    context.run(async () => {
      await (await loadServer()).serve(name, { flags: configFlags(flags) });
      return null;
    }),
  );
}

function withServerFlags(command: Command): Command {
  return command
    .option('--port <port>', 'port of the gateway; 0 picks a free one')
    .option('--host <host>', 'address of the gateway')
    .option('--config <file>', 'configuration file (./loom.toml)')
    .option('--data-dir <dir>', 'embedded database, artifacts and keys (./.loom)')
    .option('--log <level>', 'trace, debug, info, warn, error, fatal or silent');
}

/** Flags under the keys by which the configuration knows them. */
export function configFlags(flags: ServerFlags): Record<string, unknown> {
  return {
    'server.port': flags.port,
    'server.host': flags.host,
    config: flags.config,
    data_dir: flags.dataDir,
    log_level: flags.log,
  };
}

async function loadServer(): Promise<ServerModule> {
  // Relative to this program's own file, which is apps/cli/dist/cli.js once bundled.
  const bundle = new URL('../../server/dist/server.js', import.meta.url);
  if (!existsSync(bundle)) {
    throw new CommandFailure('The server is not built. Run "npm run build" in the repository.');
  }
  return import(bundle.href);
}
