import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenConsole, openConsole, said, say, takePictures } from './console-steps.ts';
import { chromiumPath } from './open-browser.ts';

describe.skipIf(chromiumPath === null)('a conversation that is busy', () => {
  let loom: OpenConsole;
  let page: OpenConsole['page'];

  beforeAll(async () => {
    loom = await openConsole();
    page = loom.page;
    loom.model.useWorkingBrain();
  }, 120_000);
  afterAll(() => loom?.close());

  test('takes a message for later, which a reload keeps in its place', async () => {
    const gate = loom.model.hold('cowork');
    await say(page, 'first');
    await gate.arrived;
    await page.getByTestId('stop').waitFor();
    await say(page, 'second');
    await page.getByText('Waits for the turn before it').waitFor();
    await takePictures(page, 'queued');
    await page.reload();
    await page.getByText('Waits for the turn before it').waitFor();
    gate.release();
    await said(page, 'assistant').getByText('You said: second').waitFor();
    expect(await page.getByTestId('message').allTextContents()).toEqual([
      'first',
      'You said: first',
      'second',
      'You said: second',
    ]);
  });

  test('is stopped, also after a reload, and goes on with the next message', async () => {
    const gate = loom.model.hold({ role: 'cowork', lastUser: 'never mind' });
    await say(page, 'never mind');
    await gate.arrived;
    await page.reload();
    await page.getByTestId('stop').click();
    await page.getByTestId('turn-notice').getByText('Stopped').waitFor();
    gate.release();
    await say(page, 'third');
    await said(page, 'assistant').getByText('You said: third').waitFor();
  });

  test('is interrupted by a message that is meant for now', async () => {
    const gate = loom.model.hold({ role: 'cowork', lastUser: 'slow one' });
    await say(page, 'slow one');
    await gate.arrived;
    await page.getByTestId('composer').fill('quick one');
    await page.getByTestId('when-to-send').selectOption('interrupt');
    await page.getByTestId('composer').press('Shift+Enter');
    expect(await page.getByTestId('composer').inputValue()).toBe('quick one\n');
    await page.getByTestId('composer').press('Enter');
    await said(page, 'assistant').getByText('You said: quick one').waitFor();
    gate.release();
    expect(await said(page, 'assistant').getByText('You said: slow one').count()).toBe(0);
    expect(loom.browser.complaints).toEqual([]);
  });
});
