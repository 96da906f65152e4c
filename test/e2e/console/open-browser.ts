import { findProgram } from '@loom/testing/find-program';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Null where there is no Chromium. */
export const chromiumPath = programs.map(findProgram).find((path) => path !== null) ?? null;

const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface TestBrowser {
  /** Opens a page of its own, with no cookies; whatever goes wrong in it is added to `complaints`. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** Errors on any page's console, uncaught exceptions and violations of the page's policy. */
  complaints: string[];
  close(): Promise<void>;
}

/** Starts the system's Chromium. */
export async function openBrowser(): Promise<TestBrowser> {
  const isRoot = process.getuid?.() === 0;
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? undefined,
    args: isRoot ? [...quiet, '--no-sandbox'] : quiet,
  });
  const complaints: string[] = [];
  return {
    complaints,
    async open(options) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      return page;
    },
    close: () => browser.close(),
  };
}
