import { expect, it } from 'vitest';
import { isProtectedPath } from './protected-path.ts';

it.each([
  '.env',
  './.env',
  'a/b/.env.local',
  '.envrc',
  '.ENV',
  'x/../.env',
  '/home/me/.ssh/authorized_keys',
  '~/.ssh',
  '.gnupg/pubring.kbx',
  '.aws/credentials',
  'credentials.json',
  'config/credentials.yml.enc',
  '.git-credentials',
  'client_secret.json',
  'secrets.py',
  'secrets/database.txt',
  '.secrets',
  'deploy/k8s-secrets.yaml',
  '.netrc',
  'keys/id_rsa',
  '.e*',
  '.[e]nv',
  'secret*',
])('%s is protected', (path) => {
  expect(isProtectedPath(path)).toBe(true);
});

it.each([
  'env',
  'environment.ts',
  'src/env.ts',
  'prod.env.md',
  'docs/secrets.md',
  'docs/credentials.md',
  'src/secrets/index.ts',
  'src/secrets.test.ts',
  'src/secret-manager.ts',
  'secretary.txt',
  'id_rsa.pub',
  'ssh/config',
  '*',
  '*.json',
  '.eslintrc*',
  '',
  '.',
])('%s is not', (path) => {
  expect(isProtectedPath(path)).toBe(false);
});
