/**
 * Makes docs/pictures/cost.png from the real page: the long script of the benches is played through the built zerd, which
 * writes the page, and Debian's Chromium (/usr/bin/chromium) looks at it. `npm run build` first.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { benchScripts } from '../packages/simulator/dist/bench/bench-scripts.js';
import { runZerd } from '../packages/simulator/dist/bench/daemon-program.js';
import { configure, withDaemon } from '../packages/simulator/dist/bench/drive-zerd.js';
import { makeBenchFolder } from '../packages/simulator/dist/bench/private-folder.js';
import { startGateway } from '../packages/simulator/dist/gateway/start.js';
import { scriptPlayer } from '../packages/simulator/dist/players/script.js';
import { summarising } from '../packages/simulator/dist/players/summarising.js';
import { root } from './tree.mjs';

const { files, steps, prompt } = benchScripts.long;
const folder = makeBenchFolder('picture', files());
const gateway = await startGateway({ player: summarising(scriptPlayer(steps)) });
try {
  configure(folder, { wire: 'anthropic', baseUrl: gateway.origin });
  const page = join(folder.home, 'cost.html');
  await withDaemon(folder, async () => {
    await runZerd(folder, 'zerd', ['run', '--trust', '--mode', 'full', '--model', 'sim/sim', prompt]);
    await runZerd(folder, 'zerd', ['cost', '--html', page]);
  });
  await picture(page, join(root, 'docs/pictures/cost.png'));
} finally {
  await gateway.close();
  folder.remove();
}

async function picture(page, file) {
  mkdirSync(join(root, 'docs/pictures'), { recursive: true });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const tab = await browser.newPage({ viewport: { width: 900, height: 1_000 } });
    await tab.goto(pathToFileURL(page).href);
    const { y, height } = await tab.locator('.plot').nth(1).boundingBox();
    await tab.screenshot({ path: file, clip: { x: 0, y: 0, width: 900, height: Math.ceil(y + height) } });
  } finally {
    await browser.close();
  }
}
