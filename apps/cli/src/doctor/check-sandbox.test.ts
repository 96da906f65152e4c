import { configSchema } from '@loom/shared/config';
import { describe, expect, it } from 'vitest';
import { checkLimits } from './check-limits.ts';
import { explainSandbox, type SandboxFindings } from './check-sandbox.ts';

function explain(fields: Partial<SandboxFindings>, sysctls: Record<string, string> = {}) {
  return explainSandbox({
    platform: 'linux',
    version: '0.9.0',
    failure: null,
    sysctl: (path) => sysctls[path] ?? null,
    ...fields,
  });
}

describe('explainSandbox', () => {
  it('is content where bubblewrap runs', () => {
    expect(explain({})).toEqual({ name: 'sandbox', status: 'ok', detail: 'bubblewrap 0.9.0 runs' });
  });

  it('says what is missing or too old', () => {
    expect(explain({ platform: 'darwin' }).detail).toContain('only on Linux');
    expect(explain({ version: null })).toMatchObject({ detail: 'bubblewrap is not installed' });
    const old = explain({ version: '0.6.2', failure: 'Unknown option --disable-userns' });
    expect(old).toMatchObject({ status: 'warn', detail: 'bubblewrap 0.6.2 is too old' });
  });

  it.each([
    [{ 'user/max_user_namespaces': '0' }, 'sysctl -w user.max_user_namespaces=10000'],
    [{ 'kernel/unprivileged_userns_clone': '0' }, 'sysctl -w kernel.unprivileged_userns_clone=1'],
    [
      { 'kernel/apparmor_restrict_unprivileged_userns': '1' },
      'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
    ],
  ])('names the setting that refuses user namespaces: %j', (sysctls, remedy) => {
    const check = explain({ failure: 'Creating new namespace failed' }, sysctls);
    expect(check).toMatchObject({ status: 'warn', fix: expect.stringContaining(remedy) });
  });

  it('repeats what bubblewrap said where no setting explains it', () => {
    const open = { 'user/max_user_namespaces': '96343', 'kernel/unprivileged_userns_clone': '1' };
    const check = explain({ failure: 'No permissions to create new namespace' }, open);
    expect(check.detail).toContain('No permissions to create new namespace');
  });
});

describe('checkLimits', () => {
  const config = configSchema.parse({});
  const allowing = configSchema.parse({ execution: { allow_unsandboxed_shell: true } });

  it('says what holds, and that root is only watched', () => {
    const user = checkLimits(config, { is_sandboxed: true, is_root: false });
    expect(user).toEqual({
      name: 'limits',
      status: 'ok',
      detail: '4096 MB of memory a process and together, 512 processes, 2048 MB a file',
    });
    const root = checkLimits(config, { is_sandboxed: true, is_root: true });
    expect(root).toMatchObject({ status: 'warn', fix: 'run Loom as an ordinary user' });
  });

  it('says what does not hold without a sandbox', () => {
    const machine = { is_sandboxed: false, is_root: false };
    expect(checkLimits(config, machine).status).toBe('ok');
    expect(checkLimits(allowing, machine)).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('neither their number nor the network'),
    });
  });
});
