import { describe, expect, it } from 'vitest';
import { demoEnvironment } from './demo-environment.ts';

describe('demoEnvironment', () => {
  it('keeps the machine and drops what would change the demo', () => {
    const env = {
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'x',
      LOOM_CONFIG: '/etc/loom.toml',
      LOOM_MODELS__REAL__PROVIDER: 'openai',
      DATABASE_URL: 'postgres://db',
      REDIS_URL: 'redis://cache',
    };
    const own = { data_dir: '/t/data', workspace: '/t/ws', admin_key: 'k' };
    expect(demoEnvironment(env, own)).toEqual({
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'x',
      LOOM_PORT: '0',
      LOOM_HOST: '127.0.0.1',
      LOOM_DATA_DIR: '/t/data',
      LOOM_WORKSPACE_ROOTS: '/t/ws',
      LOOM_ADMIN_KEY: 'k',
      LOOM_LOG: 'error',
      LOOM_MODELS__DEMO__PROVIDER: 'demo',
      LOOM_MODELS__DEMO__MODEL: 'demo',
    });
  });
});
