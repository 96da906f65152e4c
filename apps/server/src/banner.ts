import { createLoginToken } from '@loom/db/read/web-logins';
import type { ServiceRole } from '@loom/shared/queues';
import { ensureAdminKey } from './admin-key.ts';
import type { Foundation } from './open-foundation.ts';

/** Says what runs and where, on stderr; the ready line is the last and is the same for every role. */
export async function printBanner(
  foundation: Foundation,
  roles: readonly ServiceRole[],
  port: number | null,
): Promise<void> {
  const { settings, models, shell, backend, db } = foundation;
  const lines: string[] = [];
  if (roles.includes('gateway')) {
    const key = await ensureAdminKey(db, settings);
    const token = await createLoginToken(db, { tenant_id: 'default', api_key_id: key.id });
    const url = `http://${settings.host}:${port}`;
    lines.push(`Loom is at ${url}`);
    lines.push(`Sign in (once, within 15 minutes): ${url}/login?token=${token}`);
    if (key.file !== null) lines.push(`Admin API key: in ${key.file}`);
  }
  const list = models.list();
  if (list.some(({ is_demo }) => is_demo)) {
    lines.push(
      'Model: the built-in demo. It is NOT an AI: it follows a few fixed rules. See README, "Use a real model".',
    );
  } else {
    lines.push(`Models: ${list.map(({ name, model }) => `${name} (${model})`).join(', ')}`);
  }
  lines.push(
    `Queues: BullMQ on ${backend.kind === 'redis' ? 'Redis' : 'Postgres'}. Roles: ${roles.join(', ')}.`,
  );
  if (!shell.sandbox.works) {
    const state = shell.allow_unsandboxed ? 'runs WITHOUT a sandbox' : 'is off';
    lines.push(`Shell tool: ${state} (${shell.sandbox.reason}).`);
  }
  process.stderr.write(`${lines.map((line) => `  ${line}`).join('\n')}\n`);
  process.stderr.write(`loom: ready${port === null ? '' : ` http://${settings.host}:${port}`}\n`);
}
