/**
 * `zerd cost --html` as a person sees it, in a headless Chromium. Where there is no Chromium these specifications are
 * skipped, and it is said why.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { costPage } from '@zerd/cli/present/cost-page';
import { filled } from '@zerd/cli/session/write-cost-page';
import type { Browser, Page } from 'playwright-core';
import { coloursOf, launchBrowser, noBrowser, openFile } from '../support/browser.ts';
import { inHouse } from '../support/house.ts';
import { longCost } from '../support/long-cost.ts';

if (noBrowser !== undefined) process.stderr.write(`The page of zerd cost is not looked at: ${noBrowser}\n`);
const seen = noBrowser === undefined ? test : test.skip;

const built = join(import.meta.dirname, '../../packages/cli/dist/cost-page.html');
const folder = mkdtempSync(join(tmpdir(), 'zerd-page-'));
let browser: Browser;

beforeAll(async () => {
  if (noBrowser === undefined) browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

function pageOf(requests: number, text = 'npm test'): string {
  const { cost, session } = longCost(requests, text);
  const file = join(folder, `${requests}.html`);
  const page = costPage(cost, session, { version: '0.1.0', writtenAt: 1_764_000_000_000 });
  writeFileSync(file, filled(readFileSync(built, 'utf8'), page));
  return file;
}

const count = (page: Page, selector: string) => page.locator(selector).count();
const firstRow = (page: Page) => page.locator('#results tbody tr').first().locator('td').allTextContents();
const labels = (page: Page) => page.locator('#results td:first-child').allTextContents();

/** Of each chart: the share of its width in which something stands on the ground, and its colours. */
function drawn(page: Page): Promise<readonly { readonly share: number; readonly colours: number }[]> {
  return page.evaluate(`[...document.querySelectorAll('.plot')].map((plot) => {
    const over = plot.querySelector('.u-over');
    const [left, top, width, height] = [over.offsetLeft, over.offsetTop, over.clientWidth, over.clientHeight]
      .map((length) => Math.round(length * devicePixelRatio));
    const { data } = plot.querySelector('canvas').getContext('2d').getImageData(left, top, width, height);
    const at = (x, y) => data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4);
    const columns = Array.from({ length: width }, (_, x) => x);
    const shown = columns.filter((x) => {
      const [red, green, blue, alpha] = at(x, height - 3);
      return alpha > 0 && red + green + blue < 700;
    });
    const colours = new Set(columns.flatMap((x) => [0.2, 0.4, 0.6, 0.8, 0.95].map((y) => at(x, Math.floor(y * height)).join())));
    return { share: shown.length / width, colours: colours.size };
  })`);
}

const whole = [0, 1, 2].map(() => ({ whole: true, several: true }));

async function wholeness(page: Page) {
  return (await drawn(page)).map(({ share, colours }) => ({ whole: share > 0.97, several: colours > 3 }));
}

seen(
  'a thousand requests are drawn from the first to the last, with a mark for every miss, trim and summary',
  async () => {
    const file = pageOf(1_000);
    const { page, requests, said } = await openFile(browser, file);
    expect(await wholeness(page)).toEqual(whole);
    expect(await coloursOf(page, await page.locator('.plot .u-over').first().screenshot())).toBeGreaterThan(8);
    const { marks } = longCost(1_000);
    expect(Math.min(...Object.values(marks))).toBeGreaterThan(3);
    expect({
      misses: await count(page, '[data-mark=miss]'),
      planned: await count(page, '[data-mark=planned]'),
      trims: await count(page, '[data-mark=trim]'),
      summaries: await count(page, '[data-mark=summary]'),
    }).toEqual(marks);
    expect(await count(page, '#marks tbody tr')).toBe(Object.values(marks).reduce((sum, one) => sum + one, 0));
    expect(await firstRow(page)).toEqual(['shell npm test 0', 'result', '4.0k', '200', '$0.4']);
    expect({ requests, said }).toEqual({ requests: [pathToFileURL(file).href], said: [] });
  },
);

seen(
  'pointing tells of a request and what happened there, dragging zooms every chart, a button shows all again',
  async () => {
    const { page, said } = await openFile(browser, pageOf(1_000));
    const box = await page.locator('.plot .u-over').first().boundingBox();
    if (box === null) throw new Error('there is no plot');
    const point = (share: number) => page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
    await point(0.9995);
    expect(await page.locator('.tip').textContent()).toContain('request 1000');
    await page.locator('[data-mark=trim]').first().hover();
    expect(await page.locator('.tip').textContent()).toContain('trim: the rent reached its price: npm test');
    const visible = () => count(page, '[data-mark=trim]:not([hidden])');
    const all = await visible();
    await point(0.2);
    await page.mouse.down();
    await point(0.25);
    await point(0.3);
    await page.mouse.up();
    const zoomed = await visible();
    expect([zoomed > 0, zoomed < all / 4]).toEqual([true, true]);
    expect(await wholeness(page)).toEqual(whole);
    await page.getByText('Show all').click();
    expect(await visible()).toBe(all);
    await page.locator('#marks button').first().click();
    expect(await visible()).toBe(1);
    expect(said).toEqual([]);
  },
);

seen('in the dark and on paper it has colours of its own, and a sheet holds all of a chart', async () => {
  const { page, said } = await openFile(browser, pageOf(60), { colorScheme: 'dark' });
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const fits = async (width: string) => {
    // The policy of the page forbids what playwright waits with.
    await page.evaluate(`new Promise((resolve) => {
      const look = () => {
        if (document.querySelector('.plot canvas').clientWidth ${width}) resolve();
        else requestAnimationFrame(look);
      };
      look();
    })`);
    return ground();
  };
  expect(await fits('> 700')).toBe('rgb(20, 24, 29)');
  await page.emulateMedia({ media: 'print' });
  expect(await fits('<= 700')).toBe('rgb(255, 255, 255)');
  expect(await page.getByText('Show all').isVisible()).toBe(false);
  expect(await wholeness(page)).toEqual(whole);
  await page.emulateMedia({ media: 'screen' });
  expect(await fits('> 700')).toBe('rgb(20, 24, 29)');
  expect(said).toEqual([]);
});

seen('what a session says stands there as text: it ends no script, loads nothing and runs nothing', async () => {
  let hits = 0;
  const server = createServer((_, response) => {
    hits += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const image = `<img src="http://127.0.0.1:${port}/x" onerror="document.title='taken'">`;
    const hostile = `</script>${image}<!--<script>`;
    const { page, requests, said } = await openFile(browser, pageOf(61, hostile));
    expect((await firstRow(page))[0]).toBe(`shell ${hostile} 0`);
    const found = async () => [await page.title(), await count(page, 'img'), await count(page, 'script')];
    expect([await found(), requests.length, said]).toEqual([['Cost of ses_long', 0, 2], 1, []]);
    // Even where it came in as markup, the policy of the page would hold.
    await page.evaluate(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', resolve);
      document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(image)});
    })`);
    expect([await found(), hits]).toEqual([['Cost of ses_long', 1, 2], 0]);
  } finally {
    server.close();
  }
});

seen('zerd writes the page of the newest session, over what stood in the file, and says where it is', async () => {
  const shell = (command: string) => ({ calls: [{ name: 'shell', input: { command } }] });
  await inHouse({ steps: [shell('seq 1 400'), shell('echo "<b>&amp;"')] }, async (house) => {
    await house.zerd(['run', '--trust', '--mode', 'full', 'Look around.']);
    const file = join(house.repository, 'cost.html');
    writeFileSync(file, 'x'.repeat(200_000));
    const written = await house.zerd(['cost', '--html', 'cost.html']);
    expect(written).toEqual({ code: 0, stdout: '', stderr: `Written to ${file}.\n` });
    const { page, requests, said } = await openFile(browser, file);
    expect(await page.locator('.figures').textContent()).toContain('requests3');
    expect((await labels(page)).toSorted()).toEqual(['shell echo "<b>&amp;"', 'shell seq 1 400']);
    expect((await wholeness(page)).map((chart) => chart.whole)).toEqual([true, true, true]);
    expect({ requests: requests.length, said }).toEqual({ requests: 1, said: [] });
    const refused = await house.zerd(['cost', '--html', '.']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('cannot be written (EISDIR)')]);
  });
});
