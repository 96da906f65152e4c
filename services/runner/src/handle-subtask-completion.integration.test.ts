import { planSchema } from '@loom/shared/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, openAttemptWorld, type Runner } from './test-support/attempt-world.ts';
import { reply } from './test-support/scripted-models.ts';

let attempts: Awaited<ReturnType<typeof openAttemptWorld>>;

beforeAll(async () => {
  attempts = await openAttemptWorld();
});
afterAll(() => attempts.world.drop());

/** Runs a test with a runner of this mode. */
async function inMode(mode: 'off' | 'warn' | 'enforce', run: (runner: Runner) => Promise<void>) {
  const runner = await attempts.startRunner({
    execution: { executor_completion_contract_mode: mode },
  });
  await run(runner).finally(() => runner.stop());
}

const block = (value: object) => `\`\`\`completion\n${JSON.stringify(value)}\n\`\`\``;
const done = block({ status: 'done', summary: 'It is written.', discoveries: ['a second API'] });

test('enforce: a text without a block is asked for again, a valid one ends the attempt', () =>
  inMode('enforce', async (runner) => {
    const task = await attempts.begin(runner, [
      reply('', call('1', 'put', 'x')),
      reply('I am done.'),
      reply(`Done now.\n${done}`),
    ]);
    await attempts.untilStatus(task, 'completed');
    const roles = (await attempts.journal(task)).map(({ role }) => role);
    expect(roles).toEqual(['assistant', 'tool', 'assistant', 'user', 'assistant']);
    const asked = attempts.asked();
    expect(asked[0]?.messages[1]?.content).toContain('HOW TO FINISH');
    expect(asked[2]?.messages.at(-2)?.content).toContain('no fenced block');
    const [row] = await attempts.world.rows(
      `SELECT s.summary, t.course->'discoveries' AS discoveries, t.model_calls
        FROM subtasks s JOIN tasks t ON t.id = s.task_id WHERE t.id = $1`,
      [task],
    );
    expect(row).toEqual({
      summary: 'It is written.\n\nDone now.',
      discoveries: [{ subtask_id: 'a', summary: 'a second API' }],
      model_calls: 3,
    });
  }));

test('enforce: corrections are counted in the journal, also across a change of owners', () =>
  inMode('enforce', async (runner) => {
    const task = await attempts.begin(runner, [
      reply('one'),
      async (task) => {
        runner.runtime.keeper.yield(`${task}.a.1`);
        return new Error('aborted');
      },
      reply('two'),
      reply('three'),
      reply('four'),
    ]);
    await attempts.untilEvent(task, 'subtask.failed');
    expect((await attempts.unit(task))?.epoch).toBe(2);
    expect(attempts.asked()).toHaveLength(5);
    expect(await attempts.subtask(task)).toMatchObject({ error: { code: 'completion_missing' } });
    const said = (await attempts.journal(task)).filter(({ role }) => role === 'assistant');
    expect(said.map(({ content }) => content)).toEqual(['one', 'two', 'three', 'four']);
    expect(await attempts.events(task, 'completion.missing')).toHaveLength(3);
  }));

test('enforce: what says that it is not done is not done', () =>
  inMode('enforce', async (runner) => {
    const blocked = block({ status: 'blocked', summary: 'There is no key.' });
    const task = await attempts.begin(runner, [reply(blocked)]);
    await attempts.untilEvent(task, 'subtask.failed');
    expect(await attempts.subtask(task)).toMatchObject({
      error: { code: 'completion_blocked', message: 'There is no key.' },
    });
  }));

test('enforce: what is partly done is tried again with what is missing', () =>
  inMode('enforce', async (runner) => {
    const partial = block({ status: 'partial', summary: 'b.md is missing.' });
    const plan = planSchema.parse({
      subtasks: [{ id: 'a', description: 'do it', max_retries: 3 }],
    });
    const task = await attempts.begin(runner, [reply(partial), reply(done)], { plan });
    await attempts.untilStatus(task, 'completed');
    expect(attempts.asked()[1]?.messages[1]?.content).toContain('b.md is missing.');
  }));

test('warn: a missing block is noted, and the attempt ends', () =>
  inMode('warn', async (runner) => {
    const task = await attempts.begin(runner, [reply('I am done.')]);
    await attempts.untilStatus(task, 'completed');
    expect(attempts.asked()[0]?.messages[1]?.content).toContain('HOW TO FINISH');
    expect(await attempts.events(task, 'completion.missing')).toEqual([
      { data: { mode: 'warn', problem: expect.stringContaining('no fenced block') } },
    ]);
  }));

test('off: nothing is asked for, and nothing is said', () =>
  inMode('off', async (runner) => {
    const task = await attempts.begin(runner, [reply('I am done.')]);
    await attempts.untilStatus(task, 'completed');
    expect(attempts.asked()[0]?.messages[1]?.content).not.toContain('HOW TO FINISH');
    expect(await attempts.events(task, 'completion.missing')).toEqual([]);
  }));
