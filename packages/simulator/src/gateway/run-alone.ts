/**
 * Runs the gateway alone, so that any agent can be pointed at it. Its base URLs go to stdout (with --json as one line of
 * JSON); when asked to end it says in one line of JSON on stderr what it weighed.
 */
import { parseArgs } from 'node:util';
import { scriptPlayer, withoutFix } from '../players/script.ts';
import { readScript, type Script } from '../players/script-file.ts';
import type { Models } from './models.ts';
import { type Gateway, startGateway } from './start.ts';
import { codexRow, wireRows } from './wires.ts';

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

export interface RunningGateway {
  readonly gateway: Gateway;
  /** Prints the summary and closes. */
  finish(): Promise<void>;
}

const rows = [...wireRows, codexRow];

const help = `Usage: npm run gateway -- --script FILE [--port N] [--json] [--without-fix] [--per-conversation]

Plays the script over ${rows.map((row) => row.dialect).join(', ')} on 127.0.0.1, for any model name and any key.
FILE is a path, or the name of a script that ships: repair.

  --port N            where to listen; default: a free port
  --json              print the base URLs as one line of JSON
  --without-fix       leave out the steps that mend something ("fix": true)
  --per-conversation  every conversation begins at the first step
`;

/** Any model name is served with the window of the bench model. */
const anyModel: Models = { '*': { window: 200_000, maxOutput: 128_000 } };

/** An exit code when there is nothing to run: 0 after help, 2 for a wrong call, 1 when it cannot listen. */
export async function runAlone(args: readonly string[], terminal: Terminal): Promise<RunningGateway | number> {
  const options = read(args, terminal);
  if (typeof options === 'number') return options;
  const { script, port, perConversation } = options;
  const ttl = script.cacheTtlMs === undefined ? {} : { cacheTtlMs: script.cacheTtlMs };
  const player = scriptPlayer(script.steps, { perConversation });
  try {
    const gateway = await startGateway({
      player,
      port,
      faults: script.faults ?? [],
      models: anyModel,
      lenient: true,
      ...ttl,
    });
    announce(gateway, options, terminal);
    return { gateway, finish: () => finish(gateway, terminal) };
  } catch (error) {
    terminal.err(`gateway: cannot listen on port ${port}: ${messageOf(error)}\n`);
    return 1;
  }
}

interface Options {
  readonly script: Script;
  readonly port: number;
  readonly json: boolean;
  readonly perConversation: boolean;
}

function read(args: readonly string[], terminal: Terminal): Options | number {
  try {
    const values = parse(args);
    if (values.help || values.script === undefined) {
      terminal[values.help ? 'out' : 'err'](help);
      return values.help ? 0 : 2;
    }
    const script = readScript(values.script);
    const steps = values['without-fix'] ? withoutFix(script.steps) : script.steps;
    const perConversation = values['per-conversation'];
    return { script: { ...script, steps }, port: portOf(values.port), json: values.json, perConversation };
  } catch (error) {
    terminal.err(`gateway: ${messageOf(error)}\n`);
    return 2;
  }
}

function parse(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      script: { type: 'string' },
      port: { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
      'without-fix': { type: 'boolean', default: false },
      'per-conversation': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port ${text} is no port number`);
  return port;
}

function announce(gateway: Gateway, { script, json }: Options, terminal: Terminal): void {
  const urls = rows.map((row) => [row.dialect, gateway.origin + row.basePath] as const);
  const lines = urls.map(([wire, url]) => `${wire.padEnd(10)} ${url}`);
  const text = json
    ? JSON.stringify({ script: script.name, ...Object.fromEntries(urls) })
    : [`Playing ${script.name}`, ...lines].join('\n');
  terminal.out(`${text}\n`);
}

async function finish(gateway: Gateway, terminal: Terminal): Promise<void> {
  const refused = gateway.requests.filter((request) => request.refusal !== null).length;
  terminal.err(`${JSON.stringify({ ...gateway.weights(), refused })}\n`);
  await gateway.close();
}

function messageOf(error: unknown): string {
  return String((error as { readonly message?: unknown }).message ?? error);
}
