import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '@loom/shared/app-error';
import { afterAll } from 'vitest';
import { runFileEnd } from './file-end.ts';
import { leakedSince, openResources } from './open-resources.ts';

/** A vitest setup file: cleans up after each test file and fails it for what it left behind. */

const before = openResources();

afterAll(async () => {
  const problems = (await runFileEnd()).map(errorMessage);
  // Handles close a moment after what they belong to.
  const deadline = Date.now() + 2_000;
  while (leakedSince(before).length > 0 && Date.now() < deadline) await delay(20);
  problems.push(...leakedSince(before));
  if (problems.length > 0) {
    throw new Error(`this test file leaked:\n${problems.map((line) => `- ${line}`).join('\n')}`);
  }
});
