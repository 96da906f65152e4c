import { text, toolCalls } from '@loom/testing/scripted-model/replies';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type OpenConsole,
  openConsole,
  openSession,
  patience,
  said,
  takePictures,
} from './console-steps.ts';
import { chromiumPath } from './open-browser.ts';

// Each makes 28 messages, so that the beginning and the end are more than two pages apart.
const busyTurns = 5;
const busy = Array.from({ length: 25 }, () => ({ name: 'list_directory', arguments: {} }));

describe.skipIf(chromiumPath === null)('the history of a conversation in the page', () => {
  let loom: OpenConsole;
  let page: OpenConsole['page'];
  let sessionId: string;

  beforeAll(async () => {
    loom = await openConsole();
    page = loom.page;
    loom.model.useWorkingBrain();
    loom.model.on({ role: 'cowork', lastUser: /^Work/ }, ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? text('Worked.') : toolCalls(busy),
    );
    sessionId = (await loom.client.createSession({ title: 'A long talk' })).id;
    await takeTurn('The access code is heliotrope');
    for (let turn = 1; turn <= busyTurns; turn++) await takeTurn(`Work ${turn}`);
    await takeTurn('The last remark');
    await openSession(page, sessionId);
    await said(page, 'assistant').getByText('You said: The last remark').waitFor();
  }, 120_000);
  afterAll(() => loom?.close());

  async function takeTurn(content: string) {
    const { turn_id } = await loom.client.sendTurn(sessionId, content);
    await loom.client.waitForTurn(sessionId, turn_id);
  }

  test('is searched, and a hit far back is shown where it stands', async () => {
    expect(await said(page, 'user').getByText('heliotrope').count()).toBe(0);
    await page.getByTestId('search-toggle').click();
    await page.getByTestId('search').fill('heliotrope');
    await page.getByTestId('search-hit').first().waitFor();
    await page.keyboard.press('ArrowDown');
    const number = await page.locator(':focus').getAttribute('data-number');
    await page.keyboard.press('Enter');
    const focused = page.getByTestId('focused');
    await focused.getByText('heliotrope').waitFor();
    await expect.poll(() => focused.evaluate(isInView), patience).toBe(true);
    await takePictures(page, 'search');
    expect(new URL(page.url()).hash).toBe(`#${sessionId}?message=${number}`);
    expect(await said(page, 'assistant').getByText('The last remark').count()).toBe(0);
  });

  test('says so when nothing was found, and Escape closes the search', async () => {
    await page.getByTestId('search').fill('xylophone quartz');
    await page.getByText('Nothing like that was said here.').waitFor();
    await page.getByTestId('search').press('Escape');
    await page.getByTestId('search-panel').waitFor({ state: 'detached' });
    expect(await page.locator(':focus').getAttribute('data-testid')).toBe('search-toggle');
  });

  test('loaded again, the page shows the same place; and goes back to the end', async () => {
    await page.reload();
    const focused = page.getByTestId('focused');
    await focused.getByText('heliotrope').waitFor();
    await expect.poll(() => focused.evaluate(isInView), patience).toBe(true);
    await page.getByTestId('back-to-end').click();
    const last = said(page, 'assistant').getByText('You said: The last remark');
    await last.waitFor();
    await expect.poll(() => last.evaluate(isInView), patience).toBe(true);
    expect(new URL(page.url()).hash).toBe(`#${sessionId}`);
  });

  test('grows from the place that was looked for until it meets the end, without a gap', async () => {
    await page.goBack();
    await page.getByTestId('focused').getByText('heliotrope').waitFor();
    const last = said(page, 'assistant').getByText('You said: The last remark');
    expect(await last.count()).toBe(0);
    const edge = await page.getByTestId('tool-call').last().elementHandle();
    await page.getByTestId('newer-messages').click();
    await last.waitFor();
    expect(await page.getByTestId('newer-messages').count()).toBe(0);
    expect(await said(page, 'user').count()).toBe(busyTurns + 2);
    expect(await edge?.evaluate(isInView), 'the reader stays where he was').toBe(true);
    expect(loom.browser.complaints).toEqual([]);
  });
});

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
