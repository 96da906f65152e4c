import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenConsole, openConsole, openSession, say, takePictures } from './console-steps.ts';
import { chromiumPath } from './open-browser.ts';

describe.skipIf(chromiumPath === null)('the card of a task', () => {
  let loom: OpenConsole;
  let page: OpenConsole['page'];
  const file = (name: string) => join(loom.workspace, name);

  beforeAll(async () => {
    loom = await openConsole();
    page = loom.page;
    await mkdir(loom.workspace, { recursive: true });
    await writeFile(file('old.md'), 'one\ntwo\nthree\n');
    const session = await loom.client.createSession({ workspace: loom.workspace });
    await openSession(page, session.id);
  }, 120_000);
  afterAll(() => loom?.close());

  test('takes guidance while it runs, and its lines say that it was heard', async () => {
    const subtasks = [
      { id: 'both', description: 'Change both files', deliverables: ['old.md', 'new.md'] },
    ];
    const fileContent = (path: string) => (path === 'old.md' ? 'one\n2\nthree\n' : 'fresh\n');
    loom.model.useWorkingBrain({ subtasks, fileContent });
    const gate = loom.model.hold('executor');
    await say(page, 'delegate: change two files');
    await gate.arrived;
    await page.getByTestId('steer').click();
    await page.getByTestId('guidance').fill('Keep the third line');
    await takePictures(page, 'steer');
    await page.getByTestId('guidance').press('Enter');
    await page.getByTestId('steer-form').waitFor({ state: 'detached' });
    await page.getByTestId('activity').getByText('Told: Keep the third line').waitFor();
    await page.reload();
    await page.getByTestId('activity').getByText('Told: Keep the third line').waitFor();
    gate.release();
    await page.getByTestId('task-card').and(page.locator('[data-status=completed]')).waitFor();
    await page.getByTestId('activity-toggle').click();
    await page.getByTestId('activity-all').click();
    await page.getByTestId('activity').getByText('Heard what it was told').waitFor();
    await page.getByTestId('activity').getByText('write_file new.md').waitFor();
    expect(loom.model.requests.some(({ prompt }) => prompt.includes('Keep the third line'))).toBe(
      true,
    );
  });

  test('shows each changed file, with a diff that a reload keeps open', async () => {
    const files = page.getByTestId('changed-file');
    await page.getByText('2 files changed').waitFor();
    expect(await files.allTextContents()).toEqual(['Acreatednew.md', 'Mmodifiedold.md']);
    await takePictures(page, 'task-card');
    await files.nth(1).click();
    const diff = page.getByTestId('file-dialog').getByTestId('diff');
    await diff.waitFor();
    await page.reload();
    await diff.waitFor();
    expect(await diff.locator('[data-kind=removed]').allTextContents()).toEqual(['2-two']);
    expect(await diff.locator('[data-kind=added]').allTextContents()).toEqual(['2+2']);
    await takePictures(page, 'diff');
    await page.keyboard.press('Escape');
    await page.getByTestId('file-dialog').waitFor({ state: 'detached' });
  });

  test('says what stands in the way of a revert, and reverts once nothing does', async () => {
    const written = await readFile(file('old.md'), 'utf8');
    await page.getByTestId('revert').click();
    await writeFile(file('old.md'), 'changed by hand\n');
    await page.getByTestId('revert-confirm').click();
    await page.getByTestId('revert-refused').getByText('old.md').waitFor();
    await takePictures(page, 'revert-refused');
    expect(await readFile(file('new.md'), 'utf8')).toBe('fresh\n');
    // What a browser says by itself of the refusal, and all it may say.
    expect(loom.browser.complaints.splice(0)).toEqual([expect.stringContaining('409')]);

    await writeFile(file('old.md'), written);
    await page.getByTestId('revert-confirm').click();
    await page.getByTestId('revert-done').waitFor();
    await page.keyboard.press('Escape');
    expect(await readFile(file('old.md'), 'utf8')).toBe('one\ntwo\nthree\n');
    await expect(readFile(file('new.md'))).rejects.toThrow(/ENOENT/);
    await page.getByTestId('revert').waitFor({ state: 'detached' });
    await page.reload();
    const unchanged = page.getByTestId('changed-file').and(page.locator('[data-status=unchanged]'));
    await unchanged.nth(1).waitFor();
    expect(loom.browser.complaints).toEqual([]);
  });
});
