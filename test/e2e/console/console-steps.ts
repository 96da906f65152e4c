import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@loom/testing/api-client';
import { testEnv } from '@loom/testing/env';
import { type LoomProcess, startService } from '@loom/testing/processes';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { createTestDatabase } from '@loom/testing/test-database';
import { type ConfigTables, mergeConfig, writeToml } from '@loom/testing/write-toml';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from './open-browser.ts';

/** How long a page may take on a busy machine. */
export const patience = { timeout: 20_000 };

/** A whole Loom on a scripted model, with a signed-in page in front of it. */
export interface OpenConsole {
  browser: TestBrowser;
  model: ScriptedModel;
  page: Page;
  client: Client;
  /** Where its sessions work. */
  workspace: string;
  close(): Promise<void>;
}

/** Starts everything and signs the page in. */
export async function openConsole(config: ConfigTables = {}): Promise<OpenConsole> {
  const model = await startScriptedModel();
  const database = await createTestDatabase();
  const workspace = await mkdtemp(join(tmpdir(), 'loom-console-'));
  const key = randomBytes(24).toString('hex');
  const scripted = { provider: 'openai-compatible', base_url: model.url, model: 'scripted' };
  const loom = await startService('up', {
    cwd: workspace,
    config: writeToml(
      mergeConfig({ 'models.scripted': scripted, approval: { mode: 'disabled' } }, config),
    ),
    env: { DATABASE_URL: database.url, LOOM_ADMIN_KEY: key },
  });
  const browser = await openBrowser();
  const page = await browser.open({ viewport: { width: 1280, height: 860 } });
  await page.goto(loginLink(loom));
  await page.getByTestId('composer').waitFor();
  return {
    browser,
    model,
    page,
    client: createClient({ url: loom.url, key }),
    workspace,
    async close() {
      await browser.close();
      await loom.stop();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}

/** The link that a start prints. */
export function loginLink(loom: LoomProcess): string {
  const link = /http\S+\/login\?token=\S+/.exec(loom.output())?.[0];
  if (link === undefined) throw new Error(`no link was printed:\n${loom.output()}`);
  return link;
}

/** Opens a session by its address. */
export async function openSession(page: Page, sessionId: string, query = ''): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#${sessionId}${query}`);
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByTestId('composer').fill(text);
  await page.getByTestId('composer').press('Enter');
}

export function row(page: Page, status: string) {
  return page.getByTestId('subtask-row').and(page.locator(`[data-status=${status}]`));
}

export function said(page: Page, role: 'user' | 'assistant') {
  return page.getByTestId('message').and(page.locator(`[data-role=${role}]`));
}

/** An approval as the page shows it. */
export function approval(page: Page, status: string) {
  return page.getByTestId('approval').and(page.locator(`[data-status=${status}]`));
}

/** Pictures for a person to look at, light and dark and narrow, where they are asked for. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (!testEnv().update_screenshots) return;
  const folder = join(tmpdir(), 'loom-console-pictures');
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const path = join(folder, `${name}-${colorScheme}.png`);
    await page.screenshot({ path, animations: 'disabled' });
  }
  await page.emulateMedia({ colorScheme: null });
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: join(folder, `${name}-narrow.png`), animations: 'disabled' });
  if (size) await page.setViewportSize(size);
}
