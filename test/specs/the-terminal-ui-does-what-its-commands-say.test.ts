/**
 * The commands and keys of the terminal UI, as somebody uses them for the first time: what is asked for is shown, lists are
 * left with Escape and follow what happens, and what waits can be taken back.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Step } from '@zerd/simulator/players/player';
import type { RequestView } from '@zerd/simulator/view/request-view';
import { type House, type HouseWish, inHouse } from '../support/house.ts';
import { keys, openTerminal, type Terminal } from '../support/terminal.ts';

const zerd = join(import.meta.dirname, '../../packages/cli/bin/zerd.js');

const until = 'until test -e go; do sleep 0.05; done';

/** The newest word of the user says what the model does. */
function answer({ messages }: RequestView): Step {
  const newest = messages.filter(({ role }) => role === 'user').at(-1)?.parts ?? [];
  const said = newest.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
  const hasRun = messages.at(-1)?.parts.some((part) => part.kind === 'result') === true;
  if (!hasRun && said.includes('wait')) return { calls: [{ name: 'shell', input: { command: until } }] };
  if (!hasRun && said.includes('build'))
    return {
      calls: [
        {
          name: 'shell',
          input: { command: `for n in 1 2 3 4 5 6 7; do printf '\\033[1mstep %s\\033[0m\\n' $n; done; ${until}` },
        },
      ],
    };
  if (!hasRun && said.includes('serve'))
    return { calls: [{ name: 'shell', input: { command: 'echo listening; sleep 600' } }] };
  if (said.includes('count')) return { text: Array.from({ length: 60 }, (_, n) => `row ${n + 1}`).join('\n\n') };
  return { reasoning: 'A secret thought.', text: 'Well.' };
}

async function inTerminal(
  wish: HouseWish,
  story: (terminal: Terminal, house: House) => Promise<void>,
  args: readonly string[] = ['--mode', 'full'],
): Promise<void> {
  await inHouse({ player: answer, files: { 'sum.sh': 'sum\n', 'docs/a.md': 'a sum\n' }, ...wish }, async (house) => {
    const terminal = openTerminal({
      command: [process.execPath, zerd, ...args],
      cwd: house.repository,
      env: house.env,
      columns: 100,
      rows: 30,
    });
    try {
      await story(terminal, house);
    } finally {
      terminal.kill('SIGKILL');
      await terminal.exited;
    }
  });
}

/** Types a line as a person does: the escape before it was a key of its own. */
async function command(terminal: Terminal, line: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 60));
  terminal.type(`${line}${keys.enter}`);
}

const leaves = (terminal: Terminal, list: string) => {
  terminal.type(keys.escape);
  return terminal.until((screen) => !screen.includes(list));
};

test('a new user trusts from within, says something, and is told how to come back', async () => {
  await inTerminal(
    {},
    async (terminal, house) => {
      await terminal.until(/ sim\/sim · ask +\/help/);
      await command(terminal, 'hello');
      await terminal.until(/is not trusted, so nothing of it was read or run\.\s+\/trust trusts it\./);
      expect(terminal.rows().at(-2)).toBe('> hello');
      expect(house.gateway.requests).toEqual([]);
      terminal.type(keys.ctrlC);
      await command(terminal, '/trust');
      await terminal.until('Not now');
      terminal.type(`${keys.down}${keys.enter}`);
      await terminal.until('Trusted: ');
      await command(terminal, '/mode read-only');
      await terminal.until('sim/sim · read-only');
      await command(terminal, 'hello');
      await terminal.until('Well.');
      const { sessions } = await (await house.connect()).request('session/list', {});
      expect(sessions.map(({ mode }) => mode)).toEqual(['read-only']);
      await command(terminal, '/quit');
      await terminal.until(`zerd attach ${sessions[0]?.sessionId} comes back to it.`);
      expect(await terminal.exited).toBe(0);
    },
    [],
  );
});

test('what waits is shown, and comes back into the input or goes on as one says', async () => {
  await inTerminal({}, async (terminal, house) => {
    await house.zerd(['trust']);
    await terminal.until('/help');
    await command(terminal, 'wait');
    await terminal.until('… shell');
    terminal.type(`then the docs${keys.tab}`);
    await terminal.until('waits  then the docs');
    terminal.type(`not the tests${keys.enter}`);
    await terminal.until('steers not the tests');
    terminal.type(keys.up);
    await terminal.until('> not the tests');
    expect(terminal.text()).not.toContain('steers');
    terminal.type(`${keys.ctrlC}${keys.escape}`);
    await terminal.until('/queue goes on with it');
    await command(terminal, '/queue');
    await terminal.until('Go on with the next');
    terminal.type(`${keys.down}${keys.enter}`);
    await terminal.until('> then the docs');
    expect(terminal.text()).not.toContain('waits  ');
    await command(terminal, ' and more');
    await terminal.until('Well.');
    expect(house.gateway.requests.at(-1)?.bodyText).toContain('then the docs and more');
  });
});

test('a running command shows the end of what it writes, all of it when it is opened, and one row when it is over', async () => {
  await inTerminal({}, async (terminal, house) => {
    await house.zerd(['trust']);
    await terminal.until('/help');
    await command(terminal, 'build');
    const folded = await terminal.until(/^ {4}step 3\n {4}step 4\n {4}step 5\n {4}step 6\n {4}step 7$/m);
    expect(folded).not.toContain('step 2');
    terminal.type(keys.ctrlO);
    await terminal.until('step 1');
    terminal.type(keys.ctrlO);
    writeFileSync(join(house.repository, 'go'), '');
    await terminal.until('Well.');
    expect(terminal.text()).not.toMatch(/^ {4}step/m);
  });
});

test('a message that is dear is asked about first, and goes the way that is chosen or comes back', async () => {
  const config: HouseWish['config'] = (usual) => ({ ...usual, cost: { warnAbove: 0.000_001 } });
  await inTerminal({ config }, async (terminal, house) => {
    await house.zerd(['trust']);
    await terminal.until('/help');
    await command(terminal, 'hello');
    await terminal.until(/This message sends \d+ tokens, about \$0\.\d+/);
    expect(house.gateway.requests).toHaveLength(0);
    await leaves(terminal, 'This message');
    await terminal.until('> hello');
    terminal.type(keys.enter);
    await terminal.until('Send it  about');
    terminal.type(keys.enter);
    await terminal.until('Well.');
    expect(house.gateway.requests).toHaveLength(1);
  });
});

test('Ctrl-Z gives the terminal to the shell, and fg brings it back as it was', async () => {
  await inHouse({ player: answer }, async (house) => {
    await house.zerd(['trust']);
    const terminal = openTerminal({
      command: ['/bin/bash', '--norc', '-i'],
      cwd: house.repository,
      env: { ...house.env, PS1: 'shell> ' },
    });
    try {
      await terminal.until('shell>');
      terminal.type(`${process.execPath} ${zerd}${keys.enter}`);
      await terminal.until('/help');
      terminal.type('half a thought');
      await terminal.until('> half a thought');
      terminal.type('\x1a');
      await terminal.until('Stopped');
      expect(terminal.emulator.buffer.active.type).toBe('normal');
      expect(terminal.emulator.modes.bracketedPasteMode && terminal.emulator.modes.sendFocusMode).toBe(false);
      terminal.type(`fg${keys.enter}`);
      await terminal.until('> half a thought');
      terminal.type(' and more');
      await terminal.until('> half a thought and more');
      expect(terminal.emulator.buffer.active.type).toBe('alternate');
      for (const wait of ['> say what to do', 'Ctrl-C again leaves', 'shell>']) {
        terminal.type(keys.ctrlC);
        await terminal.until(wait);
      }
    } finally {
      terminal.kill('SIGKILL');
      await terminal.exited;
    }
  });
});

test('Shift-Tab goes through the modes, words of other agents mean the same, and no mistyped command is sent', async () => {
  await inTerminal(
    {},
    async (terminal, house) => {
      await house.zerd(['trust']);
      await terminal.until('sim/sim · ask');
      for (const mode of ['edit', 'read-only', 'ask']) {
        terminal.type('\x1b[Z');
        await terminal.until(`sim/sim · ${mode} `);
      }
      await command(terminal, 'hello');
      await terminal.until('Well.');
      terminal.type('\x1b[Z');
      await terminal.until('· mode is now edit');
      await command(terminal, '/nonsense at all');
      await terminal.until('There is no command and no skill /nonsense: /help lists them.');
      expect(terminal.rows().at(-2)).toBe('> /nonsense at all');
      expect(house.gateway.requests).toHaveLength(1);
      terminal.type(keys.ctrlC);
      await terminal.until('> say what to do');
      await command(terminal, '/clear');
      await terminal.until((screen) => !screen.includes('Well.'));
      await command(terminal, '/exit');
      expect(await terminal.exited).toBe(0);
    },
    [],
  );
});

test('another model that is chosen while it works is asked next, and what that costs is said', async () => {
  const config: HouseWish['config'] = (usual) => {
    const { sim } = usual.providers;
    const models = sim.models.flatMap((model) => [model, { ...model, id: 'other', contextWindow: 100_000 }]);
    return { ...usual, providers: { sim: { ...sim, models } } };
  };
  await inTerminal({ config, models: { '*': { window: 200_000, maxOutput: 64_000 } } }, async (terminal, house) => {
    await house.zerd(['trust']);
    await terminal.until('/help');
    await command(terminal, 'wait');
    await terminal.until('… shell');
    await command(terminal, '/model sim/other');
    await terminal.until('· sim/other answers from the next request on');
    await terminal.until(/· sim\/other is sent all of the conversation: \d+ tokens anew, about \$0\.\d+/);
    await terminal.until(/^ sim\/sim → sim\/other · full/m);
    writeFileSync(join(house.repository, 'go'), '');
    await terminal.until('Well.');
    await terminal.until(/^ sim\/other · full · \d % of 100k/m);
    expect(house.gateway.requests.map(({ bodyText }) => JSON.parse(bodyText).model)).toEqual(['sim', 'other']);
  });
});

test('the list of sessions follows what happens, and /resume finds by words', async () => {
  await inTerminal({}, async (terminal, house) => {
    await house.zerd(['trust']);
    const client = await house.connect();
    const { sessionId } = await client.request('session/create', { mode: 'full' });
    await client.request('turn/start', { sessionId, text: 'hello there' });
    await terminal.until('/help');
    await command(terminal, 'the second');
    await terminal.until('Well.');
    await command(terminal, '/sessions');
    const list = await terminal.until('hello there');
    expect(list).toMatch(/^ {3}the second {2}this one · now · sim\/sim · \$0\.\d+ *$/m);
    await client.request('turn/start', { sessionId, text: 'wait' });
    await terminal.until(/● hello there {2}works · now/);
    writeFileSync(join(house.repository, 'go'), '');
    await terminal.until(/^ {3}hello there {2}now/m);
    await leaves(terminal, 'hello there');
    await command(terminal, '/resume hello');
    await terminal.until('> hello there');
    await command(terminal, '/resume nothing like it');
    await terminal.until("No session is called 'nothing like it'");
  });
});

test('a command in the background is listed as it is, shows what it printed, and ends when one says so', async () => {
  const config: HouseWish['config'] = (usual) => ({ ...usual, jobs: { afterMs: 300 } });
  await inTerminal({ config }, async (terminal, house) => {
    await house.zerd(['trust']);
    await terminal.until('/help');
    await command(terminal, 'serve');
    await terminal.until('Well.');
    await command(terminal, '/jobs');
    await terminal.until(/● job_\w+ {2}echo listening; sleep 600 {2}runs · \d s · 10 bytes/);
    terminal.type(keys.enter);
    await terminal.until('Show what it printed');
    terminal.type(keys.enter);
    await terminal.until(/^listening$/m);
    await leaves(terminal, 'Esc leaves');
    await command(terminal, '/jobs');
    await terminal.until('Commands in the background');
    terminal.type(keys.enter);
    await terminal.until('Stop it');
    terminal.type(`${keys.down}${keys.enter}`);
    await terminal.until('is over: stopped');
  });
});

test('pages: search, context, cost, notes in an editor, export; thinking and the wheel', async () => {
  await inTerminal({ env: { EDITOR: 'sh edit.sh' } }, async (terminal, house) => {
    await house.zerd(['trust']);
    const script = join(house.repository, 'edit.sh');
    writeFileSync(script, 'printf "# goal\\n\\nship it\\n" > "$1"\n');
    chmodSync(script, 0o755);
    await terminal.until('/help');
    await command(terminal, 'hello');
    await terminal.until('· thinking, 3 words');
    terminal.type(keys.ctrlT);
    await terminal.until('· A secret thought.');
    terminal.type(keys.ctrlT);
    await terminal.until('· thinking, 3 words');

    await command(terminal, '/search sum');
    const found = await terminal.until('Search: sum: 2 matches in 2 files');
    expect(found).toMatch(/^docs\/a\.md:1: a sum *\n *sum\.sh:1: sum *$/m);
    await leaves(terminal, 'Search: ');
    await command(terminal, '/search nothing-like-it');
    await terminal.until('nothing found');
    await leaves(terminal, 'nothing found');
    await command(terminal, '/search (');
    await terminal.until('unclosed group');
    terminal.type(keys.ctrlC);

    await command(terminal, '/context');
    expect(await terminal.until('Context: ')).toMatch(/^█+ +\d+ {2}tools +\d+ of them/m);
    await leaves(terminal, 'Context: ');
    await command(terminal, '/cost');
    await terminal.until('1 request, $0.0');
    await leaves(terminal, 'Esc leaves');

    await command(terminal, '/notes edit');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await command(terminal, '/notes');
    await terminal.until('ship it');
    await leaves(terminal, 'ship it');

    await command(terminal, '/export told.md');
    await terminal.until('Written: told.md');
    expect(readFileSync(join(house.repository, 'told.md'), 'utf8')).toContain('Well.');
    await command(terminal, '/export told.md');
    await terminal.until('told.md is there already, and nothing was written.');
    terminal.type(keys.ctrlC);

    await command(terminal, 'count');
    await terminal.until('row 60');
    terminal.type(keys.wheelUp);
    await terminal.until((screen) => screen.includes('scrolled: Ctrl-End') && !screen.includes('row 60'));
    terminal.type(`${keys.wheelDown}${keys.wheelDown}`);
    await terminal.until((screen) => screen.includes('row 60') && !screen.includes('scrolled'));
  });
});
