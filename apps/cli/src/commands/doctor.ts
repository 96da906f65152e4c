import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { checkGateway } from '../doctor/check-gateway.ts';
import { checkMachine } from '../doctor/check-machine.ts';
import { renderChecks } from '../doctor/render-checks.ts';
import { exitCodes } from '../exit-codes.ts';

/** `loom doctor`: what works here, what does not, and what to do about it. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('check this machine, the configuration, the gateway and its workers')
    .action(() =>
      context.run(async () => {
        const terminal = context.terminal();
        const checks = [
          ...(await checkMachine(context.io.env)),
          ...(await checkGateway(context.client(), new Date())),
        ];
        const isHealthy = checks.every(({ status }) => status !== 'fail');
        terminal.emit({ ok: isHealthy, checks });
        terminal.print(renderChecks(checks));
        return isHealthy ? exitCodes.ok : exitCodes.failed;
      }),
    );
}
