/**
 * The commands of `zerdd`. What only a serving daemon needs is loaded after the command is known, so that the others
 * answer fast.
 */
import { existsSync, realpathSync } from 'node:fs';
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import { sanitise, sanitiseLine } from '@zerd/protocol/common/sanitise';
import { zerdVersion } from '@zerd/protocol/common/version';
import { systemClock } from '@zerd/protocol/node/clock';
import { formerFolder, realFolder, repositoryRoot, runtimeFolder, stateFolder } from '@zerd/protocol/node/paths';
import type { LoginAnswer, LoginParts } from '../login/install.ts';
import { type Arguments, readArguments, usage } from './arguments.ts';
import { checkInstallation } from './check-installation.ts';
import { connectTo, listDaemons } from './daemons.ts';
import { leaveInheritedFiles } from './leave-files.ts';
import { listLine, statusLines } from './report.ts';
import { stopDaemon } from './stop-daemon.ts';

/** Settles with the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const args = readArguments(argv);
  if ('wrong' in args) return complain(`${args.wrong}. See zerdd --help.`, 2);
  try {
    return await commands[args.command](args);
  } catch (error) {
    if (isZerdError(error)) return complain(`${error.code}: ${error.message}`, 1);
    throw error;
  }
}

type Run = (args: Arguments) => Promise<number> | number;

const commands: Readonly<Record<Arguments['command'], Run>> = {
  help: () => print(...usage.trimEnd().split('\n')),
  version: () => print(zerdVersion),
  async serve(args) {
    leaveInheritedFiles();
    await checkInstallation();
    const { serveProcess } = await import('./serve-process.ts');
    return serveProcess({ ...args, root: rootOf(args), env: process.env, clock: systemClock });
  },
  /** Loads all that a serving daemon needs. */
  async check() {
    await checkInstallation();
    await import('./serve-process.ts');
    return 0;
  },
  async status(args) {
    const root = formerRootOf(args);
    const client = await connectTo(runtimeFolder(root, process.env), systemClock);
    if (!client) return complain(`no daemon runs for ${root}`, 1);
    const status = await client.request('daemon/status', {});
    client.close();
    return print(...statusLines(status, systemClock.wall()));
  },
  async list() {
    const found = await listDaemons(process.env, systemClock);
    return print(...found.map((status) => listLine(status, systemClock.wall())));
  },
  async install(args) {
    const { install } = await import('../login/install.ts');
    return tell(await install(await loginParts(), (args.repos ?? [undefined]).map(rootOfRepo)));
  },
  async uninstall(args) {
    const { uninstall } = await import('../login/install.ts');
    return tell(await uninstall(await loginParts(), args.repos?.map(formerRootOfRepo)));
  },
  async export(args) {
    const { exportSession } = await import('./export-session.ts');
    const { session, format } = args;
    const err = (line: string) => void complain(line, 0);
    const out = (text: string) => void process.stdout.write(text);
    exportSession({ stateFolder: stateFolder(formerRootOf(args), process.env), session, format, out, err });
    return 0;
  },
  async supervise() {
    const { superviseProcess } = await import('./supervise-process.ts');
    return superviseProcess({ env: process.env, clock: systemClock, zerdd: programFile() });
  },
  async stop(args) {
    const root = formerRootOf(args);
    const { code, says, goOn = [] } = await stopDaemon(runtimeFolder(root, process.env), args.force, systemClock);
    return code === 0 ? print(`${root}: ${says}`, ...goOn) : complain(`${root}: ${says}`, code);
  },
};

async function loginParts(): Promise<LoginParts> {
  const { loginManager } = await import('../login/manager.ts');
  return { env: process.env, manager: loginManager(process.env), zerdd: programFile() };
}

/** The file that was started: it is there again at login. */
function programFile(): string {
  return realpathSync(process.argv[1] ?? '');
}

function rootOfRepo(folder: string | undefined): string {
  return repositoryRoot(folder ?? workingFolder());
}

/** Also of a repository that was moved or deleted since. */
function formerRootOfRepo(folder: string): string {
  return existsSync(folder) ? repositoryRoot(folder) : formerFolder(folder);
}

function tell({ code, says }: LoginAnswer): number {
  return code === 0 ? print(...says) : complain(says.join(' '), code);
}

function rootOf({ root }: Arguments): string {
  return root === undefined ? repositoryRoot(workingFolder()) : realFolder(root);
}

/** Also of a folder that was moved or deleted since. */
function formerRootOf({ root }: Arguments): string {
  return root === undefined ? repositoryRoot(workingFolder()) : formerFolder(root);
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new ZerdError('folder_missing', 'the working folder was deleted; go to another, or name one with --root.');
  }
}

/** What a folder is called may hold anything. */
function print(...lines: readonly string[]): number {
  if (lines.length > 0) process.stdout.write(`${lines.map(sanitiseLine).join('\n')}\n`);
  return 0;
}

function complain(what: string, code: number): number {
  process.stderr.write(`zerdd: ${sanitise(what)}\n`);
  return code;
}
