import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError } from './app-error.ts';
import { type ConfigSources, loadConfig } from './load-config.ts';

function load(options: Partial<Omit<ConfigSources, 'readFile'>> & { toml?: string } = {}) {
  const { toml, env = {}, flags } = options;
  return loadConfig({
    env,
    flags,
    readFile: (path) => (path === './loom.toml' ? (toml ?? null) : null),
  });
}

function problemsOf(options: Parameters<typeof load>[0]): string[] {
  try {
    load(options);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_config') {
      const problems = error.details.problems as string[];
      for (const problem of problems) expect(error.message).toContain(problem);
      return problems;
    }
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('needs nothing: every default stands', () => {
    const settings = load();
    expect(settings).toMatchObject({
      database_url: null,
      redis_url: null,
      data_dir: resolve('.loom'),
      host: '127.0.0.1',
      port: 7420,
      admin_key: null,
      workspace_roots: [resolve('.')],
      log_level: 'info',
      health_port: null,
      fault: null,
    });
    expect(settings.config.models).toEqual({});
    expect(settings.config.execution.max_parallel_subtasks).toBe(5);
  });

  it('prefers flag over environment over file over default', () => {
    const toml = '[server]\nport = 1000\nhost = "0.0.0.0"\nmax_body_bytes = 77\n';
    const env = { LOOM_PORT: '2000', LOOM_HOST: '127.0.0.2' };
    const settings = load({
      toml,
      env,
      flags: { 'server.port': '3000', 'server.host': undefined },
    });
    expect(settings.port).toBe(3000);
    expect(settings.host).toBe('127.0.0.2');
    expect(settings.config.server.max_body_bytes).toBe(77);
    expect(settings.config.server.rate_limit_per_minute).toBe(6_000);
    expect(settings.config.server.port).toBe(3000);
  });

  it('reads every variable of its own', () => {
    const settings = load({
      env: {
        DATABASE_URL: 'postgresql://u:p@db/loom',
        REDIS_URL: 'rediss://cache:6380',
        LOOM_DATA_DIR: '/var/lib/loom',
        LOOM_ADMIN_KEY: 'secret',
        LOOM_WORKSPACE_ROOTS: '/a:relative',
        LOOM_LOG: 'debug',
        LOOM_HEALTH_PORT: '9000',
        LOOM_FAULT: 'commit.after:3',
        LOOM_PORT: '0',
      },
    });
    expect(settings).toMatchObject({
      database_url: 'postgresql://u:p@db/loom',
      redis_url: 'rediss://cache:6380',
      data_dir: '/var/lib/loom',
      admin_key: 'secret',
      workspace_roots: ['/a', resolve('relative')],
      log_level: 'debug',
      health_port: 9000,
      fault: { point: 'commit.after', hit: 3 },
      port: 0,
    });
  });

  it('overrides any key by LOOM_<SECTION>__<KEY>, in the type of the key', () => {
    const { config } = load({
      env: {
        LOOM_LIMITS__RUNNER__MAX_TOOL_ITERATIONS: '5',
        LOOM_EXECUTION__ALLOW_UNSANDBOXED_SHELL: 'true',
        LOOM_MODELS__LOCAL__PROVIDER: 'openai-compatible',
        LOOM_MODELS__LOCAL__BASE_URL: 'http://127.0.0.1:9000/v1',
        LOOM_MODELS__LOCAL__MODEL: '42',
        LOOM_MODELS__LOCAL__ROLES: 'cowork, planner',
      },
    });
    expect(config.limits.runner.max_tool_iterations).toBe(5);
    expect(config.execution.allow_unsandboxed_shell).toBe(true);
    expect(config.models.local).toMatchObject({
      base_url: 'http://127.0.0.1:9000/v1',
      model: '42',
      roles: ['cowork', 'planner'],
      tier: 2,
    });
  });

  it('matches a variable to a model whose name a variable cannot spell', () => {
    const toml = '[models.My-Model]\nprovider = "ollama"\nmodel = "a"\n';
    const { config } = load({ toml, env: { LOOM_MODELS__MY_MODEL__TIER: '3' } });
    expect(Object.keys(config.models)).toEqual(['My-Model']);
    expect(config.models['My-Model']?.tier).toBe(3);
  });

  it('takes an empty variable for an unset one', () => {
    const env = { LOOM_PORT: ' ', DATABASE_URL: '', LOOM_SERVER__HOST: '', LOOM_CONFIG: '' };
    expect(load({ env })).toMatchObject({ port: 7420, database_url: null, host: '127.0.0.1' });
  });

  it('accepts every section of the contract', () => {
    const sections = 'server execution verification limits.runner limits.verifier memory approval';
    const rest = 'process mcp.servers webhooks cowork tenants';
    const toml = `${sections} ${rest}`.split(' ').map((name) => `[${name}]\n`);
    expect(problemsOf({ toml: toml.join('') })).toEqual([]);
  });

  it('reports every problem at once, each with its place', () => {
    const toml = `
port = 80
[execution]
max_paralel_subtasks = 3
lease_seconds = "long"
[process]
size = 1
[models.local]
provider = "openai-compatible"
model = ""
tier = 9
[models.other]
provider = "opnai"
model = "x"
base_url = "localhost:9000"
api_key_env = "sk-secret-value"
`;
    const env = {
      LOOM_PORT: 'http',
      LOOM_SERVER__MAX_BODY_BYTES: '0',
      LOOM_LIMITS__RUNER__MAX_TOOL_ITERATIONS: '5',
      LOOM_MODELS__LOCAL__ROLES: 'cowork,boss',
      LOOM_MODELS__LOCAL: 'x',
      DATABASE_URL: 'mysql://u:hunter2@db',
      LOOM_FAULT: 'nowhere:1',
      LOOM_LOG: 'verbos',
    };
    const problems = problemsOf({ toml, env });
    expect(problems.toSorted()).toMatchInlineSnapshot(`
      [
        "DATABASE_URL: must be a URL that begins with postgres://",
        "LOOM_FAULT: must be point:hit, with a point of commit.before, commit.after, ring.after, claim.after, model.before, model.after, journal.after, tool.before, change.kept, tool.after, verdict.before",
        "LOOM_LIMITS__RUNER__MAX_TOOL_ITERATIONS: unknown key, did you mean "runner"?",
        "LOOM_LOG: must be one of trace, debug, info, warn, error, fatal, silent",
        "LOOM_MODELS__LOCAL: names a section, not a key of it",
        "LOOM_MODELS__LOCAL__ROLES: must be one of "cowork", "planner", "executor", "verifier", "extractor"",
        "LOOM_PORT: must be a number",
        "LOOM_SERVER__MAX_BODY_BYTES: must be at least 1",
        "execution.lease_seconds: must be a number",
        "execution.max_paralel_subtasks: unknown key, did you mean "max_parallel_subtasks"?",
        "models.local.base_url: is required with provider "openai-compatible"",
        "models.local.model: must have a length of at least 1",
        "models.local.tier: must be at most 3",
        "models.other.api_key_env: is the name of an environment variable, never a key",
        "models.other.base_url: must be a URL that begins with http:// or https://",
        "models.other.provider: must be one of "openai-compatible", "openai", "anthropic", "ollama", "demo"",
        "port: unknown key, did you mean "server.port"?",
        "process.size: unknown key, there are no keys here yet",
      ]
    `);
    expect(problems.join()).not.toMatch(/sk-secret-value|hunter2/);
  });

  it('says where a TOML file breaks, and what is wrong besides', () => {
    const env = { LOOM_PORT: '70000', LOOM_MODELS__LOCAL__TIER: '2' };
    const problems = problemsOf({ toml: '[server]\nport = = 1\n', env });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^\.\/loom\.toml, line 2, column 8: /);
    expect(problems[1]).toBe('LOOM_PORT: must be at most 65535');
  });

  it('refuses a named file that is missing, not a missing default', () => {
    expect(problemsOf({ env: { LOOM_CONFIG: '/etc/loom.toml' } })).toEqual([
      'LOOM_CONFIG: there is no file /etc/loom.toml',
    ]);
    expect(problemsOf({ flags: { config: 'my.toml' } })).toEqual([
      '--config: there is no file my.toml',
    ]);
  });

  it('refuses a file that cannot be read', () => {
    const readFile = () => {
      throw new Error('permission denied');
    };
    expect(() => loadConfig({ env: {}, readFile })).toThrow('permission denied');
    expect(() => loadConfig({ env: {}, readFile })).toThrow(AppError);
  });

  it('refuses a flag that is no key', () => {
    expect(problemsOf({ flags: { 'server.prot': 1 } })).toEqual([
      '--prot: unknown key, did you mean "port"?',
    ]);
  });
});
