// Everything that is checked besides the tests: types, lint, format, unused code, architecture.
import { checks, runCheck } from './checks.mjs';
import { ensureInstalled } from './setup.mjs';

await ensureInstalled();
await import('./generate-prisma.mjs');

const architecture = {
  name: 'architecture',
  program: 'vitest/vitest.mjs',
  args: ['run', '--project', 'unit', 'test/architecture.test.ts', '--reporter=dot'],
};

let failed = 0;
await Promise.all(
  [...checks, architecture].map(async (check) => {
    const { passed, output } = await runCheck(check);
    console.log(`${passed ? 'ok    ' : 'FAILED'} ${check.name}`);
    if (passed) return;
    failed += 1;
    console.log(output.replace(/^/gm, '       '));
  }),
);
console.log(
  failed === 0 ? 'All checks passed.' : `${failed} of ${checks.length + 1} checks failed.`,
);
process.exitCode = failed === 0 ? 0 : 1;
