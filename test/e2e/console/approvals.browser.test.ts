import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@loom/testing/api-client';
import { text, toolCalls } from '@loom/testing/scripted-model/replies';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  approval,
  type OpenConsole,
  openConsole,
  openSession,
  said,
  say,
  takePictures,
} from './console-steps.ts';
import { chromiumPath } from './open-browser.ts';

const write = (path: string, content = 'hello') =>
  toolCalls([{ name: 'write_file', arguments: { path, content } }]);

describe.skipIf(chromiumPath === null)('approvals in the page', () => {
  let loom: OpenConsole;
  let page: OpenConsole['page'];

  beforeAll(async () => {
    loom = await openConsole({ approval: { mode: 'manual' } });
    page = loom.page;
    loom.model.useWorkingBrain({ subtasks: 1 });
    const session = await loom.client.createSession({ workspace: loom.workspace });
    await openSession(page, session.id);
  }, 120_000);
  afterAll(() => loom?.close());

  test('a question comes up by itself, is there after a reload, and its answer is kept', async () => {
    loom.model.once('cowork', write('note.md'));
    await say(page, 'write a note');
    await approval(page, 'pending').getByText('Run write_file?').waitFor();
    await takePictures(page, 'approval');
    await page.reload();
    await approval(page, 'pending').getByTestId('approve').click();
    await approval(page, 'approved').waitFor();
    await said(page, 'assistant').getByText('Here is what came back').waitFor();
    expect(await readFile(join(loom.workspace, 'note.md'), 'utf8')).toBe('hello');
    await page.reload();
    await approval(page, 'approved')
      .getByText(/^Approved by \S+: write_file note.md$/)
      .waitFor();
  });

  test('arguments are changed as JSON, and what is not JSON cannot be approved', async () => {
    loom.model.once('cowork', write('wrong.md'));
    await say(page, 'write another');
    const card = approval(page, 'pending');
    await card.getByTestId('edit-arguments').click();
    const field = card.getByTestId('arguments');
    await field.fill('{"path": ');
    await card.getByText('This is not JSON').waitFor();
    expect(await card.getByTestId('approve').isDisabled()).toBe(true);
    await field.fill('["right.md"]');
    await card.getByText('Write a JSON object').waitFor();
    await field.press('Escape');
    await card.getByTestId('edit-arguments').click();
    await field.fill('{"path": "right.md", "content": "changed"}');
    await takePictures(page, 'approval-edit');
    await card.getByRole('button', { name: 'Approve with changes' }).click();
    await approval(page, 'approved').nth(1).waitFor();
    await said(page, 'assistant').getByText('Here is what came back').nth(1).waitFor();
    expect(await readFile(join(loom.workspace, 'right.md'), 'utf8')).toBe('changed');
  });

  test('a denial tells the model why, by keyboard alone', async () => {
    loom.model.once('cowork', write('never.md'));
    await say(page, 'write a third');
    await approval(page, 'pending').getByTestId('deny').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('put it in docs');
    await page.keyboard.press('Enter');
    await approval(page, 'denied').getByText('put it in docs').waitFor();
    await said(page, 'assistant').getByText('put it in docs').waitFor();
  });

  test('a tool is allowed for the session, but never what is always asked about', async () => {
    const remove = toolCalls([{ name: 'shell_execute', arguments: { command: 'rm -rf /' } }]);
    loom.model.once('cowork', remove);
    await say(page, 'remove everything');
    await approval(page, 'pending').getByText('rm -rf /', { exact: true }).waitFor();
    expect(await approval(page, 'pending').getByRole('checkbox').count()).toBe(0);
    await approval(page, 'pending').getByTestId('deny').click();
    await page.getByTestId('deny-send').click();
    await approval(page, 'denied').nth(1).waitFor();

    loom.model.once('cowork', write('a.md'));
    await say(page, 'write a');
    await approval(page, 'pending').getByRole('checkbox').check();
    await approval(page, 'pending').getByTestId('approve').click();
    await approval(page, 'approved').nth(2).waitFor();
    loom.model.once('cowork', write('b.md'));
    loom.model.once('cowork', text('Both are written.'));
    await say(page, 'write b');
    await said(page, 'assistant').getByText('Here is what came back').last().waitFor();
    await said(page, 'assistant').getByText('Both are written.').waitFor();
    expect(await approval(page, 'pending').count()).toBe(0);
    expect(await readFile(join(loom.workspace, 'b.md'), 'utf8')).toBe('hello');
  });

  test('a task asks in its card, and an answer from elsewhere is shown with who gave it', async () => {
    const session = await loom.client.createSession({ approval_mode: 'manual' });
    await loom.client.sendTurn(session.id, 'delegate: one file');
    await openSession(page, session.id);
    await approval(page, 'pending').getByText('Start this task?').waitFor();
    await approval(page, 'pending').getByTestId('approve').click();
    const card = page.getByTestId('task-card');
    await card.getByText('Run write_file?').waitFor();
    await takePictures(page, 'approval-task');
    const [asked] = await loom.client.listApprovals({ session_id: session.id });
    const { key } = (await loom.client.post('/api/admin/keys', {
      name: 'colleague',
      scopes: ['user'],
    })) as { key: string };
    const colleague = createClient({ url: loom.client.urls, key });
    const decided = await colleague.decideApproval(asked?.id ?? '', 'approve');
    await card.getByText(`Approved by ${decided.decided_by}`).waitFor();
    await card.and(page.locator('[data-status=completed]')).waitFor();
    expect(loom.browser.complaints).toEqual([]);
  });
});
