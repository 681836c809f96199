/**
 * The built `zerd` in a real terminal: what stands on the screen at the start, while a model answers, when it asks, after
 * a change, on small and large screens, with wide characters, over ten thousand lines, and when a turn already runs.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import type { Step } from '@zerd/simulator/players/player';
import { type House, type HouseWish, inHouse } from '../support/house.ts';
import { keys, openTerminal, type Terminal, type TerminalWish } from '../support/terminal.ts';

const zerd = join(import.meta.dirname, '../../packages/cli/bin/zerd.js');
const files = { 'sum.sh': 'sum() {\n  echo $(($1 - $2))\n}\n', 'src/app/main.ts': 'export {};\n' };

async function inTerminal(
  wish: HouseWish,
  story: (terminal: Terminal, house: House) => Promise<void>,
  { args = [], ...size }: Partial<TerminalWish> & { readonly args?: readonly string[] } = {},
): Promise<void> {
  await inHouse({ files, ...wish }, async (house) => {
    await house.zerd(['trust']);
    const terminal = open(house, args, size);
    try {
      await story(terminal, house);
    } finally {
      terminal.kill('SIGKILL');
      await terminal.exited;
    }
  });
}

function open(house: House, args: readonly string[] = [], size: Partial<TerminalWish> = {}): Terminal {
  return openTerminal({ command: [process.execPath, zerd, ...args], cwd: house.repository, env: house.env, ...size });
}

const quiet = () => new Promise((resolve) => setTimeout(resolve, 800));

test('at the start: where it is, an input, what answers and how to get help; twice Ctrl-C leaves', async () => {
  await inTerminal({}, async (terminal, house) => {
    await terminal.until('/help');
    await terminal.until(`· zerd in ${house.repository}`.slice(0, 40));
    await terminal.until('sim/sim · ask');
    expect(terminal.title()).toBe('zerd');
    expect(terminal.rows().slice(-3)).toEqual([
      '─'.repeat(80),
      '> say what to do, / for commands, @ for files',
      expect.stringMatching(/^ sim\/sim · ask +\/help$/),
    ]);
    terminal.type(keys.ctrlC);
    await terminal.until('Ctrl-C again leaves');
    terminal.type(keys.ctrlC);
    expect(await terminal.exited).toBe(0);
  });
});

const repair: readonly Step[] = [
  {
    reasoning: 'The sum subtracts.',
    text: 'It **subtracts**:\n\n```sh\necho 1\n```\n',
    calls: [{ name: 'read', input: { path: 'sum.sh' } }],
  },
  { calls: [{ name: 'edit', input: { path: 'sum.sh', old: '$1 - $2', new: '$1 + $2' } }] },
  { text: 'Mended. 你好 👍 done.' },
];

test('an answer, a call on one line, what is asked with the whole of it, the change in colours, wide characters', async () => {
  await inTerminal({ steps: repair }, async (terminal) => {
    await terminal.until('/help');
    terminal.type(`mend it${keys.enter}`);
    const asked = await terminal.until('y allow');
    expect(asked).toContain('> mend it');
    expect(terminal.title()).toBe('zerd: mend it');
    expect(asked).toContain('It subtracts:');
    expect(asked).toContain('· thinking, 3 words');
    expect(asked).toMatch(/✓ read sum\.sh \(\d\.\d s\)/);
    expect(asked).toMatch(/\? May this run\? \(edit\) *\n {2}sum\.sh *\n {2}- \$1 - \$2 *\n {2}\+ \$1 \+ \$2 *\n/);
    await quiet();
    terminal.type('y');
    const done = await terminal.until('Mended.');
    expect(done).toContain('    -  echo $(($1 - $2))\n    +  echo $(($1 + $2))');
    expect(done).toContain('Mended. 你好 👍 done.');
    expect(terminal.rows().at(-1)).toMatch(/^ sim\/sim · ask · 1 % of 200k · cache \d+ %, warm [45]:\d\d · \$0\.\d{4}/);
  });
});

test('S-47: a key that was typed before the question could be read answers nothing', async () => {
  const steps: readonly Step[] = [
    { calls: [{ name: 'shell', input: { command: `echo ${' '.repeat(300)}\u202ehidden` } }] },
    { text: 'Ran.' },
  ];
  await inTerminal({ steps }, async (terminal, house) => {
    await terminal.until('/help');
    terminal.type(`run it${keys.enter}`);
    // As a person who types on without looking.
    await terminal.until((screen) => {
      terminal.type('y');
      return screen.includes('y allow');
    });
    const text = await terminal.until('[301 spaces] \\u{202e}hidden');
    expect(text).toContain('? May this run? (shell)');
    const { sessions } = await (await house.connect()).request('session/list', {});
    expect(sessions[0]?.state).toBe('waiting');
  });
});

test('typing while it works steers, Esc interrupts within a second, and what was written is not lost', async () => {
  const steps: readonly Step[] = [{ calls: [{ name: 'shell', input: { command: 'sleep 600' } }] }, { text: 'On.' }];
  await inTerminal(
    { steps },
    async (terminal) => {
      await terminal.until('/help');
      terminal.type(`wait${keys.enter}`);
      await terminal.until('… shell sleep 600');
      terminal.type('half a thought');
      await terminal.until('> half a thought');
      terminal.type(keys.escape);
      const screen = await terminal.until('interrupted');
      expect(screen).toContain('> half a thought');
      expect(screen).toContain('! shell sleep 600');
    },
    { args: ['--mode', 'full'] },
  );
});

test('a paste of many lines does not send, and the lines are there to be changed', async () => {
  await inTerminal({ steps: [{ text: 'Read.' }] }, async (terminal, house) => {
    await terminal.until('/help');
    terminal.type(keys.paste('first\nsecond\nthird'));
    await terminal.until('third');
    expect(house.gateway.requests).toEqual([]);
    terminal.type(`!${keys.enter}`);
    const screen = await terminal.until('Read.');
    expect(screen).toContain('> first\n  second\n  third!');
  });
});

test('commands and files are completed', async () => {
  await inTerminal({}, async (terminal) => {
    await terminal.until('/help');
    terminal.type('/mod');
    const commands = await terminal.until('/model');
    expect(commands).toContain('/mode [read-only|ask|edit|full]');
    terminal.type(`${keys.ctrlC}see @maints`);
    await terminal.until('src/app/main.ts');
    terminal.type(keys.tab);
    await terminal.until('> see @src/app/main.ts');
  });
});

test('ten thousand lines: the end is followed, scrolling up stays where it is, and the way back is said', async () => {
  const text = Array.from({ length: 10_000 }, (_, n) => `line ${n + 1}`).join('\n\n');
  await inTerminal({ steps: [{ text }, { text: 'And more.' }] }, async (terminal) => {
    await terminal.until('/help');
    terminal.type(`tell${keys.enter}`);
    await terminal.until('line 10000');
    terminal.type(keys.pageUp);
    const up = await terminal.until('scrolled: Ctrl-End');
    expect(up).not.toContain('line 10000');
    terminal.type(`more${keys.enter}`);
    await terminal.until('And more.');
  });
});

test.each([
  [80, 24],
  [200, 60],
  [40, 12],
])(
  'on %i x %i nothing is wider than the screen and the input stands at the bottom; a resize draws it anew',
  async (columns, rows) => {
    await inTerminal(
      {
        steps: [{ text: 'A sentence that is long enough to be broken on a narrow screen, and then some more of it.' }],
      },
      async (terminal) => {
        await terminal.until('/help');
        terminal.type(`talk${keys.enter}`);
        await terminal.until('A sentence');
        await terminal.until((screen) => screen.includes('/help'));
        expect(terminal.rows().at(-2)).toMatch(/^> say what to do/);
        terminal.resize(60, 20);
        await terminal.until(
          () => terminal.rows().length === 20 && terminal.rows().at(-2)?.startsWith('> say what to do') === true,
        );
        expect(terminal.text().replaceAll('\n', ' ')).toContain('A sentence that is long enough');
      },
      { columns, rows },
    );
  },
);

test('what another client began is there when it is opened: the running turn, what is asked, and its answer counts', async () => {
  const steps: readonly Step[] = [
    { text: 'First.' },
    { calls: [{ name: 'shell', input: { command: 'touch from-a-script' } }] },
    { text: 'Done with it.' },
  ];
  await inHouse({ files, steps }, async (house) => {
    await house.zerd(['trust']);
    const client = await house.connect();
    const { sessionId } = await client.request('session/create', {});
    await client.request('turn/start', { sessionId, text: 'one' });
    while ((await client.request('session/read', { sessionId, limit: 1 })).session.state !== 'idle')
      await new Promise((resolve) => setTimeout(resolve, 20));
    await client.request('turn/start', { sessionId, text: 'two' });
    const terminal = open(house, ['attach']);
    try {
      const screen = await terminal.until('y allow');
      expect(screen).toContain('> one');
      expect(screen).toContain('First.');
      await quiet();
      terminal.type('y');
      await terminal.until('Done with it.');
      const events = (await house.events(sessionIdSchema.parse(sessionId))).map(({ event }) => event.kind);
      expect(events.filter((kind) => kind === 'approval.answered')).toHaveLength(1);
    } finally {
      terminal.kill('SIGKILL');
      await terminal.exited;
    }
  });
});

test('NO_COLOR is honoured, and hostile text steers nothing', async () => {
  const hostile = 'x\x1b]0;owned\x07\x1b[2J\x1b[?1049lY';
  await inHouse({ files, steps: [{ text: hostile }], env: { NO_COLOR: '1' } }, async (house) => {
    await house.zerd(['trust']);
    writeFileSync(join(house.repository, 'x'), '');
    const terminal = open(house);
    try {
      await terminal.until('/help');
      terminal.type(`go${keys.enter}`);
      await terminal.until('x\\x1b]0;owned\\x07\\x1b[2J\\x1b[?1049lY');
      const cell = terminal.emulator.buffer.active.getLine(0)?.getCell(0);
      expect(cell?.isFgDefault()).toBe(true);
    } finally {
      terminal.kill('SIGKILL');
      await terminal.exited;
    }
  });
});

test('a new user is told what is missing, each with what to do', async () => {
  await inHouse({ files, config: '{}', env: { SIM_KEY: '' } }, async (house) => {
    const terminal = open(house, [], { columns: 120 });
    try {
      const screen = await terminal.until('No model has its key');
      expect(screen).toContain('/trust trusts it');
      expect(screen).toContain('ANTHROPIC_API_KEY');
    } finally {
      terminal.kill('SIGKILL');
      await terminal.exited;
    }
  });
});
