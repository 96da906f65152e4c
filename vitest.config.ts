import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const integration = '**/*.integration.test.ts';
const endToEnd = 'test/e2e/**/*.e2e.test.ts';
const browser = 'test/e2e/**/*.browser.test.ts';
const check = 'test/check.test.ts';

// What these packages do is the same on either queue backend.
const withoutBackend = [
  'packages/{db,engine,models,shared,testing,tools}/**/*.integration.test.ts',
  'scripts/**/*.integration.test.ts',
  'test/recall-quality/**/*.integration.test.ts',
];

// Examples hold tests of their own, for the projects that they make.
const exclude = [...configDefaults.exclude, '**/dist/**', 'examples/**'];

interface Suite {
  include: string[];
  exclude?: string[];
  testTimeout?: number;
}

// Suites of one turn share the workers; whole clusters come last and do not compete with compilers.
const turns = { fast: 0, servers: 1, clusters: 2 };

function project(name: string, turn: number, suite: Suite): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      ...suite,
      exclude: [...exclude, ...(suite.exclude ?? [])],
      pool: 'forks',
      hookTimeout: 60_000,
      sequence: { groupOrder: turn },
    },
  };
}

// On real servers: one Postgres and one Redis a run, shared by all these projects.
function onServers(
  name: string,
  turn: number,
  backend: 'postgres' | 'redis',
  suite: Suite,
): TestProjectInlineConfiguration {
  const base = project(name, turn, { testTimeout: 60_000, ...suite });
  return {
    test: {
      ...base.test,
      globalSetup: ['packages/testing/src/global-setup.ts'],
      setupFiles: ['packages/testing/src/leak-check.ts'],
      provide: { backend },
    },
  };
}

const { fast, servers, clusters } = turns;
const notPure = [integration, endToEnd, browser, check];
const twice = { include: [integration], exclude: withoutBackend };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      project('check', fast, { include: [check], testTimeout: 300_000 }),
      project('unit', fast, { include: ['**/*.test.ts'], exclude: notPure, testTimeout: 20_000 }),
      onServers('integration', servers, 'postgres', { include: withoutBackend }),
      onServers('integration-postgres', servers, 'postgres', twice),
      onServers('integration-redis', servers, 'redis', twice),
      onServers('e2e-postgres', clusters, 'postgres', { include: [endToEnd] }),
      onServers('e2e-redis', clusters, 'redis', { include: [endToEnd] }),
      onServers('browser', clusters, 'postgres', { include: [browser] }),
    ],
  },
});
