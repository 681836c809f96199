/** The process `zerd attach`: reads its arguments, reaches the daemon, and gives the terminal back as it was. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorTable, isZerdError, type ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import { zerdVersion } from '@zerd/protocol/common/version';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { connectOrSpawn } from '@zerd/protocol/node/connect-or-spawn';
import { repositoryRoot } from '@zerd/protocol/node/paths';
import { createApp } from './app/app.ts';
import { welcome } from './app/welcome.ts';
import { readArguments, usage } from './arguments.ts';
import { openScreen } from './screen/blessed-screen.ts';
import type { Screen } from './screen/port.ts';

// From the bundle in dist/bundle.
const zerddPath = fileURLToPath(new URL('../../../cli/bin/zerdd.js', import.meta.url));

const endings = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

async function main(argv: readonly string[]): Promise<number> {
  const args = readArguments(argv);
  if ('wrong' in args) return complain(`${args.wrong}\n${usage}`, 2);
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    return complain('the terminal UI needs a terminal; for scripts there is `zerd run "<prompt>"`.', 2);
  const notes: string[] = [];
  const connect = connector((note) => notes.push(note));
  const client = await connect();
  const sessionId = await wantedSession(client, args.session);
  // From before the terminal is changed on: its state is put back at the exit of the process, never by a signal.
  let end = (code: number): void => process.exit(code);
  for (const [signal, code] of endings) process.on(signal, () => end(code));
  const screen = openScreen({
    input: process.stdin,
    output: process.stdout,
    colours: (process.env.NO_COLOR ?? '') === '' && process.env.TERM !== 'dumb',
  });
  let said = '';
  try {
    const pause = pausing(screen);
    const app = createApp({ screen, connect, now: () => Date.now(), pause, edit: editText, begin: args.begin });
    await app.open(sessionId);
    const words = [
      ...(await welcome(client, { trust: args.begin.trust ?? false, isNew: sessionId === undefined })),
      ...notes,
    ];
    client.close();
    for (const word of words) app.note(word);
    end = app.leave;
    await app.left;
    if (app.sessionId !== undefined)
      said = `${app.works ? 'It goes on working. ' : ''}zerd attach ${app.sessionId} comes back to it.\n`;
  } finally {
    screen.close();
  }
  process.stdout.write(said);
  return 0;
}

/**
 * Ctrl-Z, or the signal for it: the terminal is the shell's until it lets this program go on. Whoever stopped it in another
 * way left the terminal as it was, and the shell has set it for itself meanwhile.
 */
function pausing(screen: Screen): () => void {
  let pauses = false;
  const again = (during: () => Promise<void>) => () => {
    if (pauses) return;
    pauses = true;
    void screen.suspend(during).finally(() => {
      pauses = false;
    });
  };
  const pause = again(async () => {
    process.off('SIGTSTP', pause);
    // All of the job, as the terminal itself does it. Where no shell could let it go on, nothing stops.
    process.kill(0, 'SIGTSTP');
    await new Promise((resolve) => setTimeout(resolve, stoppedMs));
    process.on('SIGTSTP', pause);
  });
  process.on('SIGTSTP', pause);
  process.on(
    'SIGCONT',
    again(async () => {}),
  );
  return pause;
}

/** The signal has arrived by then, and the time goes on when the program does. */
const stoppedMs = 50;

/** Named, the newest, or none yet. */
async function wantedSession(client: ZerdClient, wish: string | undefined): Promise<SessionId | undefined> {
  if (wish === undefined) return undefined;
  const { sessions } = await client.request('session/list', {});
  if (wish === 'newest') return sessions.find(({ parentId }) => parentId === undefined)?.sessionId;
  const found =
    sessions.find(({ sessionId }) => sessionId === wish) ??
    sessions.filter(({ sessionId }) => sessionId.startsWith(wish))[0];
  if (found !== undefined) return found.sessionId;
  await client.request('session/read', { sessionId: wish as SessionId, limit: 1 });
  return wish as SessionId;
}

function connector(note: (text: string) => void): () => Promise<ZerdClient> {
  const root = repositoryRoot(process.cwd());
  const client = { name: 'zerd attach', version: zerdVersion };
  return () => connectOrSpawn({ root, env: process.env, client, zerddPath, onOlder: note });
}

/** Opens the user's editor on a file of its own; undefined: left as it was, or the editor failed. */
async function editText(text: string): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'zerd-edit-'));
  const file = join(folder, 'text.md');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const editor = process.env.VISUAL ?? process.env.EDITOR ?? 'vi';
    const code = await new Promise<number | null>((resolve) => {
      // An editor may be named with arguments: the shell takes them apart.
      const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
      child.once('exit', resolve);
      child.once('error', () => resolve(1));
    });
    const after = readFileSync(file, 'utf8');
    return code === 0 && after !== text ? after : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function complain(what: string, code: number): number {
  process.stderr.write(`zerd: ${what}\n`);
  return code;
}

function words(error: ZerdError): string {
  const { todo } = errorTable[error.code];
  // Its help is for those who write parameters themselves.
  const told = error.code === 'invalid_params' || error.message.includes(todo);
  return told ? error.message : `${error.message} ${todo}`;
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  process.exit(complain(isZerdError(error) ? words(error) : String(error), 1));
}
