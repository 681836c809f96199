/**
 * A terminal, an editor and a script in one session: whoever speaks, is killed or comes back, in any order, all three are
 * told the same story, and it is that of the log.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { Step } from '@zerd/simulator/players/player';
import type { RequestView } from '@zerd/simulator/view/request-view';
import { allow, type Editor, type EditorWish, openEditor, textOf } from '../support/editor.ts';
import { type House, inHouse } from '../support/house.ts';
import { keys, openTerminal, type Terminal } from '../support/terminal.ts';

const zerd = join(import.meta.dirname, '../../packages/cli/bin/zerd.js');

/** Waits in a command until the test lets it go on, then answers by the number of the round. */
function answer({ messages }: RequestView): Step {
  const texts = messages.flatMap(({ role, parts }) =>
    role === 'user' ? parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])) : [],
  );
  const round = /round (\d+)/.exec(texts.findLast((text) => text.includes('round ')) ?? '')?.[1] ?? '0';
  const hasRun = messages.at(-1)?.parts.some((part) => part.kind === 'result') === true;
  if (hasRun) return { text: `Answer ${round}.` };
  return { calls: [{ name: 'shell', input: { command: `until test -e go/${round}; do sleep 0.05; done` } }] };
}

type Name = 'terminal' | 'editor' | 'script';

/** One of the three, as the story needs it. */
interface Client {
  say(text: string): void;
  /** Settles when it shows that. */
  shows(text: string): Promise<unknown>;
  kill(): Promise<unknown>;
}

interface Script extends Client {
  readonly lines: () => readonly string[];
  want(wish: unknown): void;
}

const soon = async (holds: () => boolean, what: string) => {
  for (let tries = 0; tries < 800; tries++) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`it was never shown: ${what}`);
};

/** Settles when it follows the session: a line that it does not understand is answered then. */
async function startScript(house: House, sessionId: string): Promise<Script> {
  const child = spawn(process.execPath, [zerd, 'drive', '--session', sessionId, '--deltas'], {
    cwd: house.repository,
    env: house.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const want = (wish: unknown) => void child.stdin.write(`${JSON.stringify(wish)}\n`);
  const shows = (text: string) => soon(() => out.includes(text), `${text} in the script`);
  want('there?');
  await shows('"error"');
  return {
    want,
    say: (text) => want({ say: text }),
    lines: () => out.split('\n').slice(0, -1),
    shows,
    kill() {
      const gone = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      return gone;
    },
  };
}

function startTerminal(house: House, sessionId: string): Client & { readonly screen: Terminal } {
  const command = [process.execPath, zerd, 'attach', sessionId];
  const screen = openTerminal({ command, cwd: house.repository, env: house.env, columns: 100, rows: 40 });
  return {
    screen,
    say: (text) => screen.type(`${text}${keys.enter}`),
    shows: (text) => screen.until(text),
    async kill() {
      screen.kill('SIGKILL');
      await screen.exited;
    },
  };
}

async function startEditor(
  house: House,
  sessionId: string,
  wish: EditorWish,
): Promise<Client & { readonly of: Editor }> {
  const of = await openEditor(house, wish);
  await of.agent.request('session/load', { sessionId, cwd: house.repository, mcpServers: [] });
  return {
    of,
    // Its prompt dies with it.
    say: (text) =>
      void of.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }).catch(() => undefined),
    shows: (text) => soon(() => JSON.stringify(of.updates).includes(text), `${text} in the editor`),
    kill: () => {
      const gone = new Promise((resolve) => of.process.once('exit', resolve));
      of.process.kill('SIGKILL');
      return gone;
    },
  };
}

const said = (events: readonly LoggedEvent[]) =>
  events.flatMap(({ event }) => (event.kind === 'message.submitted' ? [event.text] : []));
const answers = (events: readonly LoggedEvent[]) =>
  events.flatMap(({ event }) =>
    event.kind === 'assistant.finished'
      ? event.content.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
      : [],
  );

const orders: readonly (readonly [Name, Name, Name])[] = [
  ['terminal', 'editor', 'script'],
  ['editor', 'script', 'terminal'],
  ['script', 'terminal', 'editor'],
  ['script', 'editor', 'terminal'],
];

test('killed and started again in any order, all three tell the story of the log', async () => {
  await inHouse({ player: answer }, async (house) => {
    await house.zerd(['trust']);
    mkdirSync(join(house.repository, 'go'));
    const { sessionId } = await (await house.connect()).request('session/create', { mode: 'full' });
    const start = async (name: Name): Promise<Client> => {
      if (name === 'editor') return startEditor(house, sessionId, { permit: allow });
      return name === 'terminal' ? startTerminal(house, sessionId) : await startScript(house, sessionId);
    };
    const clients = {
      terminal: await start('terminal'),
      editor: await start('editor'),
      script: await start('script'),
    };
    const lines: string[] = [];
    const kill = async (name: Name) => {
      const client = clients[name];
      await client.kill();
      if ('lines' in client) lines.push(...(client as Script).lines());
    };
    try {
      await clients.terminal.shows('/help');
      for (const [index, [first, second, speaker]] of orders.entries()) {
        const round = index + 1;
        clients[speaker].say(`round ${round}`);
        await Promise.all(Object.values(clients).map((client) => client.shows(`go/${round}`)));
        await kill(first);
        await kill(speaker);
        clients[first] = await start(first);
        await kill(second);
        writeFileSync(join(house.repository, 'go', String(round)), '');
        clients[speaker] = await start(speaker);
        clients[second] = await start(second);
        // What ended while nobody looked is there for whoever loads it; the script is told what comes after it came.
        await clients.terminal.shows(`Answer ${round}.`);
        await clients.editor.shows(`Answer ${round}.`);
        if (first === 'script') await clients.script.shows(`Answer ${round}.`);
        await clients.terminal.shows('/help');
      }
      const events = await house.events(sessionId);
      expect(said(events)).toEqual(orders.map((_, index) => `round ${index + 1}`));
      expect(answers(events)).toEqual(orders.map((_, index) => `Answer ${index + 1}.`));
    } finally {
      for (const name of ['terminal', 'editor', 'script'] as const) await kill(name);
    }
    const events = await house.events(sessionId);
    const watched = (await house.zerd(['watch', sessionId, '--json', '--until-idle'])).stdout.trim().split('\n');
    expect(watched.map((line) => JSON.parse(line).event)).toEqual(events.map(({ event }) => event));
    const told = lines.filter((line) => line.includes('"seq"'));
    expect(told.length).toBeGreaterThan(10);
    expect(told.filter((line) => !watched.includes(line))).toEqual([]);

    const editor = await startEditor(house, sessionId, { permit: allow });
    expect(textOf(editor.of.updates, 'user_message_chunk')).toBe(said(events).join(''));
    expect(textOf(editor.of.updates, 'agent_message_chunk')).toBe(answers(events).join(''));
    await editor.kill();
    const terminal = startTerminal(house, sessionId);
    const screen = await terminal.screen.until(`Answer ${orders.length}.`).finally(() => terminal.kill());
    const shown = screen.split('\n').filter((row) => /^(?:> round|Answer|. shell)/.test(row));
    expect(shown.map((row) => row.replace(/ \([^)]*\)\s*$/, ''))).toEqual(
      orders.flatMap((_, index) => {
        const round = index + 1;
        return [`> round ${round}`, `✓ shell until test -e go/${round}; do sleep 0.05; done`, `Answer ${round}.`];
      }),
    );
  });
}, 90_000);

test('what is asked is asked of all three; the first answer holds, and a word from each finds its way', async () => {
  await inHouse({ player: answer }, async (house) => {
    await house.zerd(['trust']);
    mkdirSync(join(house.repository, 'go'));
    const { sessionId } = await (await house.connect()).request('session/create', { mode: 'ask' });
    const terminal = startTerminal(house, sessionId);
    const script = await startScript(house, sessionId);
    const editor = await startEditor(house, sessionId, { permit: () => new Promise(() => {}) });
    try {
      await terminal.shows('/help');
      terminal.say('round 1');
      await terminal.shows('y allow');
      await script.shows('approval.requested');
      await soon(() => editor.of.asked.length === 1, 'a permission in the editor');
      const asked = script
        .lines()
        .map((line) => JSON.parse(line).event)
        .find((event) => event?.kind === 'approval.requested');
      script.want({ answer: { approvalId: asked?.approvalId, decision: 'granted' } });
      await terminal.screen.until((screen) => !screen.includes('y allow'));
      // Said by the editor while the terminal's turn runs.
      const prompted = editor.of.agent.request('session/prompt', {
        sessionId,
        prompt: [{ type: 'text', text: 'from the editor' }],
      });
      await terminal.shows('steers from the editor');
      await script.shows('prompt.queued');
      writeFileSync(join(house.repository, 'go/1'), '');
      expect(await prompted).toEqual({ stopReason: 'end_turn' });
      await terminal.shows('> from the editor');
      const events = await house.events(sessionId);
      expect(said(events)).toEqual(['round 1', 'from the editor']);
      expect(events.filter(({ event }) => event.kind === 'turn.started')).toHaveLength(1);
      expect(events.filter(({ event }) => event.kind === 'approval.answered')).toHaveLength(1);
      expect(house.gateway.requests.at(-1)?.bodyText).toContain('from the editor');
    } finally {
      await Promise.all([terminal.kill(), script.kill(), editor.kill()]);
    }
  });
}, 60_000);
