import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EffectRecorder, startEffectRecorder } from './effect-recorder.ts';
import { testEnv } from './env.ts';

const run = promisify(execFile);
let recorder: EffectRecorder;

beforeEach(async () => {
  recorder = await startEffectRecorder();
});
afterEach(() => recorder.close());

it('counts what its command reports under the key of the call', async () => {
  const begun = Date.now();
  const call = (key: string) =>
    run('sh', ['-c', recorder.command('send mail')], {
      env: { PATH: testEnv().path, LOOM_CALL_KEY: key },
    });
  await Promise.all([call('subtask-1~3~0'), call('subtask-1~3~1')]);
  await call('subtask-1~3~0');
  expect(recorder.seen()).toEqual(
    new Map([
      ['subtask-1~3~0', 2],
      ['subtask-1~3~1', 1],
    ]),
  );
  const effects = recorder.effects();
  expect(effects.map(({ label }) => label)).toEqual(['send mail', 'send mail', 'send mail']);
  expect(effects.at(-1)?.key).toBe('subtask-1~3~0');
  const times = effects.map(({ at }) => at);
  expect(times).toEqual(times.toSorted());
  expect(times[0]).toBeGreaterThanOrEqual(begun);
});

it('refuses a report without a key', async () => {
  await expect(
    run('sh', ['-c', recorder.command()], { env: { PATH: testEnv().path } }),
  ).rejects.toThrow('404');
  expect(recorder.seen().size).toBe(0);
});
