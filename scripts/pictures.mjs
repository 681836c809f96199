/**
 * Makes the pictures of the terminal UI in docs/pictures from its real screen: the built `zerd` in a terminal, a scripted
 * model, and each cell as an emulator keeps it, written as text into an SVG. Invariant: nothing is drawn that was not on
 * that screen; two runs differ by clocks alone. `npm run build` first.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { makeBenchFolder } from '../packages/simulator/dist/bench/private-folder.js';
import { timedProgram } from '../packages/simulator/dist/bench/timed-program.js';
import { startGateway } from '../packages/simulator/dist/gateway/start.js';
import { scriptPlayer } from '../packages/simulator/dist/players/script.js';
import { svgOf } from './pictures/svg.mjs';
import { root } from './tree.mjs';

const size = { cols: 100, rows: 28 };
const files = {
  'src/total.ts': [
    'export interface Item {\n  readonly price: number;\n  readonly count: number;\n}\n',
    'export function total(items: readonly Item[]): number {',
    '  return items.reduce((sum, { price }) => sum + price, 0);\n}\n',
  ].join('\n'),
  'test.sh':
    'grep -q "price \\* count" src/total.ts && echo "12 passed" || { echo "1 failed: total counts each item once"; exit 1; }\n',
};
const steps = [
  {
    reasoning: 'The failing test names total.',
    text: 'I look at how the total is counted.',
    calls: [
      { name: 'todo', input: { list: '[>] find why the total is wrong\n[ ] mend it\n[ ] run the tests' } },
      { name: 'read', input: { path: 'src/total.ts' } },
    ],
  },
  {
    text: '`total` adds each **price once**, whatever its `count`:\n\n```ts\nitems.reduce((sum, { price }) => sum + price, 0)\n```\n',
    calls: [
      {
        name: 'edit',
        input: {
          path: 'src/total.ts',
          old: 'items.reduce((sum, { price }) => sum + price, 0)',
          new: 'items.reduce((sum, { price, count }) => sum + price * count, 0)',
        },
      },
    ],
  },
  { calls: [{ name: 'shell', input: { command: 'sh test.sh' } }] },
  { text: 'The total now counts every item, and **12 tests pass**.' },
];

const folder = makeBenchFolder('pictures', Object.entries(files));
const gateway = await startGateway({ player: scriptPlayer(steps) });
const env = {
  PATH: process.env.PATH,
  HOME: folder.home,
  ZERD_CONFIG_DIR: folder.config,
  XDG_STATE_HOME: folder.state,
  XDG_RUNTIME_DIR: folder.runtime,
  TERM: 'xterm-256color',
};
const zerd = [process.execPath, join(root, 'packages/cli/bin/zerd.js')];
const run = (...args) => timedProgram({ argv: [...zerd, ...args], cwd: folder.repository, env });
try {
  configure();
  await run('trust');
  await takePictures(openScreen());
} finally {
  await run('rpc', 'daemon/shutdown', '{"force":true}').catch(() => undefined);
  await gateway.close();
  folder.remove();
}

function configure() {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const models = [{ id: 'sim', contextWindow: 200_000, maxOutput: 8_000, price }];
  const providers = { sim: { wire: 'anthropic', baseUrl: gateway.origin, apiKey: 'none', models } };
  writeFileSync(join(folder.config, 'config.json'), JSON.stringify({ providers, model: 'sim/sim' }), {
    mode: 0o600,
  });
}

async function takePictures(screen) {
  try {
    await screen.shows('zerd in');
    await screen.shows('sim/sim');
    screen.type('/');
    await screen.shows('/context');
    picture('start', screen);
    screen.type('\x03make the failing test pass\r');
    await screen.shows('y allow');
    // A key that is typed before the question can be read answers nothing.
    await pause(800);
    picture('approval', screen);
    screen.type('y');
    await screen.shows('sh test.sh');
    await screen.shows('y allow');
    await pause(800);
    screen.type('y');
    await screen.shows('12 tests pass');
    await screen.shows('/help');
    picture('diff', screen);
    screen.type('/cost\r');
    await screen.shows('Esc leaves');
    picture('cost-in-terminal', screen);
  } finally {
    await screen.end();
  }
}

function picture(name, { emulator }) {
  mkdirSync(join(root, 'docs/pictures'), { recursive: true });
  const file = join(root, 'docs/pictures', `${name}.svg`);
  const svg = svgOf(emulator, `zerd: ${name}`).replaceAll(folder.repository, '~/shop');
  writeFileSync(file, svg);
  process.stdout.write(`${file.slice(root.length + 1)}: ${svg.length} bytes\n`);
}

function openScreen() {
  const emulator = new xterm.Terminal({ ...size, allowProposedApi: true, scrollback: 0 });
  const child = pty.spawn(zerd[0], [...zerd.slice(1), '--mode', 'ask'], { cwd: folder.repository, env, ...size });
  const looks = new Set();
  child.onData((data) => emulator.write(data, () => looks.forEach((look) => void look())));
  const gone = new Promise((resolve) => child.onExit(resolve));
  const text = () =>
    Array.from({ length: size.rows }, (_, row) => emulator.buffer.active.getLine(row)?.translateToString(true)).join(
      '\n',
    );
  return {
    emulator,
    type: (keys) => child.write(keys),
    shows(what) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${what} was never shown:\n${text()}`)), 20_000);
        const look = () => {
          if (!text().includes(what)) return;
          clearTimeout(timer);
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
      });
    },
    async end() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
