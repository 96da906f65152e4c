import { createIntake } from '@loom/runtime/intake';
import { startWorker } from '@loom/runtime/start-worker';
import { caller, easyHandlers, openWorld } from '@loom/runtime/test-support/runtime-world';
import type { ModelRequest, Models } from '@loom/shared/chat';
import { planSchema } from '@loom/shared/plan';
import { newTask } from '@loom/testing/builders';
import { expect, onTestFinished, test } from 'vitest';
import { runnerHandlers } from './handlers.ts';
import { reply, scriptedModels } from './test-support/scripted-models.ts';

const plan = planSchema.parse({
  subtasks: [
    { id: 'finder', description: 'look around' },
    { id: 'hearer', description: 'go on' },
  ],
});
const discovery = { id: 'c1', name: 'record_discovery', arguments: { summary: 'there is a v2' } };
const own = { ...discovery, arguments: { summary: 'there is a v3' } };

const isHearer = ({ messages }: ModelRequest) =>
  messages.some(({ content }) => content.includes('SUBTASK:\ngo on'));

test('what one subtask found is told to its sibling before its next step, once', async () => {
  const world = await openWorld();
  const { runtime, close } = await world.openRuntime(4);
  let noted: () => void = () => undefined;
  const found = new Promise<void>((resolve) => {
    noted = resolve;
  });
  let hearing: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    hearing = resolve;
  });
  const seen: ModelRequest[] = [];
  const models: Models = {
    ...scriptedModels([]),
    complete: async (request) => {
      if (!isHearer(request)) {
        await begun;
        // Its second call shows that its discovery is committed.
        const again = request.messages.some(({ role }) => role === 'tool');
        if (again) noted();
        return again ? reply('done') : reply('', discovery);
      }
      seen.push(request);
      hearing();
      if (seen.length === 1) await found;
      return seen.length === 3 ? reply('done') : reply('', { ...own, id: `h${seen.length}` });
    },
  };
  const { subtasks } = runnerHandlers({ runtime, models, tools: [] });
  const worker = startWorker(runtime, { ...easyHandlers([]), ...(subtasks ? { subtasks } : {}) });
  onTestFinished(async () => {
    await worker.stop();
    await close();
    await world.drop();
  });
  const { body } = await createIntake(runtime).createTask(caller, newTask({ plan }), null);
  await world.untilEnded(runtime, [body.id]);
  const told = seen.map(
    ({ messages }) =>
      messages.filter(({ content }) => content.startsWith('DISCOVERIES OF OTHER SUBTASKS')).length,
  );
  expect(told).toEqual([0, 1, 1]);
  expect(seen[1]?.messages.some(({ content }) => content.endsWith('- finder: there is a v2'))).toBe(
    true,
  );
});
