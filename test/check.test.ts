import { expect, test } from 'vitest';
import { checks, runCheck } from '../scripts/checks.mjs';

test.each(checks)('$name', async (check) => {
  const { passed, output } = await runCheck(check);
  expect(passed, output).toBe(true);
});
