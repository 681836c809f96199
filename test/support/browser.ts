/**
 * A headless browser for what people look at: Debian's Chromium, driven by playwright-core. Invariant: what a page asked
 * for and complained of is kept.
 */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const executablePath = '/usr/bin/chromium';

/** Undefined: there is one. `scripts/test` installs it where it may. */
export const noBrowser: string | undefined = existsSync(executablePath)
  ? undefined
  : `${executablePath} is not there (Debian: apt-get install chromium)`;

export interface Opened {
  readonly page: Page;
  /** Everything that was asked for, the page itself first. */
  readonly requests: readonly string[];
  /** Errors, and what was written to the console. */
  readonly said: readonly string[];
}

export function launchBrowser(): Promise<Browser> {
  // Its own sandbox needs rights that a container seldom gives.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

export async function openFile(browser: Browser, file: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1_200, height: 900 }, ...options });
  const page = await context.newPage();
  const requests: string[] = [];
  const said: string[] = [];
  page.on('request', (request) => void requests.push(request.url()));
  page.on('console', (message) => void said.push(message.text()));
  page.on('pageerror', (error) => void said.push(error.message));
  await page.goto(pathToFileURL(file).href);
  return { page, requests, said };
}

/** How many different colours a picture has, read by the browser itself. */
export async function coloursOf(page: Page, png: Buffer): Promise<number> {
  const blank = await page.context().newPage();
  try {
    return await blank.evaluate(`(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${png.toString('base64')}';
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
      return new Set(pixels).size;
    })()`);
  } finally {
    await blank.close();
  }
}
