import { text, toolCalls } from '@loom/testing/scripted-model/replies';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenConsole, openConsole, said, say, takePictures } from './console-steps.ts';
import { chromiumPath } from './open-browser.ts';

describe.skipIf(chromiumPath === null)('the todo list of a turn', () => {
  let loom: OpenConsole;
  let page: OpenConsole['page'];

  beforeAll(async () => {
    loom = await openConsole();
    page = loom.page;
  }, 120_000);
  afterAll(() => loom?.close());

  test('shows the list of the running turn until the turn is over', async () => {
    const items = [{ title: 'Look around' }, { title: 'Answer' }];
    loom.model.once('cowork', toolCalls([{ name: 'create_todo', arguments: { items } }]));
    loom.model.once('cowork', text('Both done: look around, answer.'));
    const gate = loom.model.hold(
      ({ role, messages }) => role === 'cowork' && messages.at(-1)?.role === 'tool',
    );
    await say(page, 'make a list');
    await gate.arrived;
    await page.getByTestId('todo').nth(1).waitFor();
    expect(await page.getByTestId('todos').textContent()).toContain('0 of 2 done');
    await takePictures(page, 'todos');
    await page.reload();
    await page.getByTestId('todo').nth(1).waitFor();
    gate.release();
    await said(page, 'assistant').getByText('Both done').waitFor();
    await page.getByTestId('todos').waitFor({ state: 'detached' });
    expect(loom.browser.complaints).toEqual([]);
  });
});
