import { mkdir } from 'node:fs/promises';
import { testEnv } from '@loom/testing/env';
import { type LoomProcess, startService } from '@loom/testing/processes';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { createTestDatabase } from '@loom/testing/test-database';
import { writeToml } from '@loom/testing/write-toml';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loginLink, patience, row, said } from './console/console-steps.ts';
import { chromiumPath, openBrowser, type TestBrowser } from './console/open-browser.ts';

const request = 'Write a haiku about rain, a limerick about tea and a packing list for the sea';
const picture = new URL('../../docs/images/console.png', import.meta.url).pathname;

describe.skipIf(chromiumPath === null)('the console in Chromium', () => {
  let browser: TestBrowser;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  describe('on everything built in', () => {
    let loom: LoomProcess;
    let page: Page;

    beforeAll(async () => {
      loom = await startService('up');
      page = await browser.open({
        viewport: { width: 1280, height: 860 },
        deviceScaleFactor: testEnv().update_screenshots ? 2 : 1,
      });
    }, 120_000);
    afterAll(async () => {
      await page?.context().close();
      await loom?.stop();
    });

    test('the printed link signs in, once', async () => {
      const link = loginLink(loom);
      const opened = await page.goto(link);
      expect(opened?.headers()['content-security-policy']).toContain("default-src 'self'");
      await page.getByTestId('composer').waitFor();
      expect(await page.getByTestId('model-banner').textContent()).toContain('not an AI');
      expect(page.url()).toBe(`${loom.url}/`);

      const stranger = await browser.open();
      await stranger.goto(link);
      await stranger.getByRole('heading', { name: 'This link cannot be used' }).waitFor();
      await stranger.context().close();
      // What a browser says by itself of the refusal, and all it may say.
      expect(browser.complaints.splice(0)).toEqual([expect.stringContaining('401')]);
    });

    test('a message is delegated, every step is watched to its verdict, and the answer comes', async () => {
      await page.getByTestId('composer').fill(request);
      await page.getByTestId('send').click();
      // Whoever hands over often frees it for the session.
      await page.getByTestId('approval').getByRole('checkbox').check();
      await page.getByTestId('approval').getByTestId('approve').click();
      await row(page, 'completed').nth(3).waitFor();
      await page.getByTestId('task-card').and(page.locator('[data-status=completed]')).waitFor();
      const verdicts = page.getByTestId('verdict').and(page.locator('[data-outcome=pass]'));
      await expect.poll(() => verdicts.count(), patience).toBe(4);
      await page
        .getByTestId('verification')
        .and(page.locator('[data-verification=verified]'))
        .waitFor();
      await said(page, 'assistant').getByText('Done. Every subtask was verified.').waitFor();
      await page.getByTestId('send').waitFor();

      if (testEnv().update_screenshots) {
        await page.mouse.move(0, 0);
        await mkdir(new URL('.', `file://${picture}`), { recursive: true });
        await page.screenshot({ path: picture, animations: 'disabled' });
      }
    });

    test('a step opens to its result, its checks and their evidence', async () => {
      const first = page.getByTestId('subtask-row').first();
      await first.getByRole('button').click();
      await first.getByText('Wrote haiku-about-rain.md.').waitFor();
      expect(await first.textContent()).toContain('deliverable exists');
    });

    test('the page looks the same when it is loaded again', async () => {
      await page.getByTestId('subtask-row').first().getByRole('button').click();
      // What is learnt from an ended task is found, and paid for, after its end.
      const read = async () =>
        (await page.getByRole('log').textContent())?.replace(/[\d,]+ tokens/, 'tokens');
      const before = await read();
      expect(before).toContain(request);
      await page.reload();
      await expect.poll(read, patience).toBe(before);
    });
  });

  describe('while the work is held up', () => {
    let model: ScriptedModel;
    let loom: LoomProcess;
    let page: Page;

    beforeAll(async () => {
      model = await startScriptedModel();
      const database = await createTestDatabase();
      const scripted = { provider: 'openai-compatible', base_url: model.url, model: 'scripted' };
      loom = await startService('up', {
        config: writeToml({ 'models.scripted': scripted, approval: { mode: 'disabled' } }),
        env: { DATABASE_URL: database.url },
      });
      page = await browser.open();
      await page.goto(loginLink(loom));
    }, 120_000);
    afterAll(async () => {
      await page?.context().close();
      await loom?.stop();
    });

    test('loaded again in the middle, the page goes on where it was', async () => {
      const gate = model.hold('executor');
      model.useWorkingBrain({ subtasks: 3 });
      await page.getByTestId('composer').fill('delegate: three files');
      await page.getByTestId('send').click();
      await row(page, 'running').nth(2).waitFor();
      await page.reload();
      await row(page, 'running').nth(2).waitFor();
      gate.release();
      await row(page, 'completed').nth(2).waitFor();
      await said(page, 'assistant').getByText('Here is what came back').waitFor();
      expect(await said(page, 'user').count()).toBe(1);
    });

    test('cancelling the task ends it, and the turn answers', async () => {
      const gate = model.hold('executor');
      await page.getByTestId('composer').fill('delegate: three more');
      await page.getByTestId('composer').press('Enter');
      await gate.arrivals(3);
      await page.getByTestId('cancel').click();
      await page.getByTestId('task-card').and(page.locator('[data-status=cancelled]')).waitFor();
      gate.release();
      await said(page, 'assistant').getByText('Task cancelled: "three more"').waitFor();
      await page.getByTestId('send').waitFor();
    });

    test('stopping the turn ends what it started, and the conversation goes on', async () => {
      const gate = model.hold('executor');
      await page.getByTestId('composer').fill('delegate: too much');
      await page.getByTestId('composer').press('Enter');
      await gate.arrivals(3);
      await page.getByTestId('stop').click();
      await page.getByTestId('turn-notice').getByText('Stopped').waitFor();
      const cancelled = page.getByTestId('task-card').and(page.locator('[data-status=cancelled]'));
      await cancelled.nth(1).waitFor();
      gate.release();
      await page.getByTestId('composer').fill('Still there?');
      await page.getByTestId('send').click();
      await said(page, 'assistant').getByText('You said: Still there?').waitFor();
    });
  });

  test('nothing went wrong in the pages, and their policy was never broken', () => {
    expect(browser.complaints).toEqual([]);
  });
});
