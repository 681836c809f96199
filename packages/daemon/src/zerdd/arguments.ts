/** Reads the command line of `zerdd`. */
import { parseArgs } from 'node:util';
import { plainNumber } from '@zerd/protocol/common/plain-number';
import { type WebAddress, webAddress } from '../web/address.ts';

export type Command = (typeof commands)[number];

const commands = [
  'serve',
  'status',
  'list',
  'stop',
  'install',
  'uninstall',
  'supervise',
  'check',
  'export',
  'version',
  'help',
] as const;

export interface Arguments {
  readonly command: Command;
  /** As given; undefined: the repository around the working folder. */
  readonly root?: string;
  readonly stdio: boolean;
  readonly force: boolean;
  readonly idleMs?: number;
  readonly web?: WebAddress;
  /** For install and uninstall. */
  readonly repos?: readonly string[];
  /** For export. */
  readonly session?: string;
  readonly format: 'md' | 'json';
}

export const usage = `zerdd: the daemon of one repository. Clients start it by themselves.

  zerdd [--root DIR] [--idle SECONDS]   serve DIR in the foreground; it ends after 10 idle minutes, or SECONDS (0: never)
  zerdd --ws [HOST:]PORT                serve a WebSocket too, on this machine only; url and token are in zerdd.json
  zerdd --stdio [--root DIR]            serve one client over stdin and stdout, and end with it
  zerdd status [--root DIR]             what the daemon of DIR is doing
  zerdd list                            the daemons of this user
  zerdd stop [--root DIR] [--force]     end the daemon of DIR; --force also while turns are running
  zerdd install [--repo DIR...]         start the daemons of these repositories at login (systemd or launchd)
  zerdd uninstall [--repo DIR...]       no longer; without --repo none of them
  zerdd export [--root DIR] [--format md|json] [SESSION]
                                        write a session without a daemon, also out of a damaged database
  zerdd check                           whether this installation can serve; nothing is opened or started
  zerdd --version, --help

DIR is taken as it is. Without --root it is the nearest folder above with .git, else with .zerd, else the working folder.
Exit codes: 0 done, 1 failed or no daemon runs, 2 usage, 75 another process owns the repository.
`;

/** The arguments, or what is wrong with them. */
export function readArguments(argv: readonly string[]): Arguments | { readonly wrong: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        root: { type: 'string' },
        stdio: { type: 'boolean', default: false },
        force: { type: 'boolean', default: false },
        idle: { type: 'string' },
        ws: { type: 'string' },
        repo: { type: 'string', multiple: true },
        format: { type: 'string', default: 'md' },
        version: { type: 'boolean', short: 'V' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const word = values.help ? 'help' : values.version ? 'version' : (positionals[0] ?? 'serve');
    const most = word === 'export' ? 2 : 1;
    if (!isCommand(word) || positionals.length > most) return { wrong: `unknown command: ${positionals.join(' ')}` };
    const { format } = values;
    if (format !== 'md' && format !== 'json') return { wrong: '--format takes md or json' };
    const session = positionals[1];
    const idleMs = values.idle === undefined ? undefined : plainNumber(values.idle) * 1000;
    if (idleMs !== undefined && !(idleMs >= 0)) return { wrong: '--idle takes a number of seconds' };
    const web = values.ws === undefined ? undefined : webAddress(values.ws);
    if (web !== undefined && 'wrong' in web) return web;
    return {
      command: word,
      format,
      ...(session === undefined ? {} : { session }),
      stdio: values.stdio,
      force: values.force,
      ...(values.root === undefined ? {} : { root: values.root }),
      ...(idleMs === undefined ? {} : { idleMs }),
      ...(web === undefined ? {} : { web }),
      ...(values.repo === undefined ? {} : { repos: values.repo }),
    };
  } catch (error) {
    return { wrong: error instanceof Object && 'message' in error ? String(error.message) : String(error) };
  }
}

function isCommand(word: string): word is Command {
  return commands.some((command) => command === word);
}
