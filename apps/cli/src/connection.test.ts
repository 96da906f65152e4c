import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConnection } from './connection.ts';

describe('resolveConnection', () => {
  it('prefers option over variable over default', () => {
    const env = { LOOM_URL: 'http://b:1/', LOOM_API_KEY: 'api', LOOM_ADMIN_KEY: 'admin' };
    expect(resolveConnection({ url: 'http://a', key: 'own' }, env)).toEqual({
      base_url: 'http://a',
      key: 'own',
    });
    expect(resolveConnection({}, env)).toEqual({ base_url: 'http://b:1', key: 'api' });
    expect(resolveConnection({}, { LOOM_ADMIN_KEY: 'admin' })).toEqual({
      base_url: 'http://127.0.0.1:7420',
      key: 'admin',
    });
  });

  it('finds the key that the first start left behind', () => {
    const dir = mkdtempSync(join(tmpdir(), 'loom-cli-'));
    try {
      writeFileSync(join(dir, 'admin.key'), 'minted\n');
      expect(resolveConnection({}, { LOOM_DATA_DIR: dir }).key).toBe('minted');
      expect(resolveConnection({}, { LOOM_DATA_DIR: join(dir, 'none') }).key).toBeNull();
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
