/**
 * Runs the gateway alone, so that any agent can be pointed at it. Its base URLs go to stdout (with --json as one line of
 * JSON); SIGINT and SIGTERM end it with a one-line JSON summary on stderr.
 */
import { parseArgs } from 'node:util';
import { scriptPlayer, withoutFix } from '../players/script.ts';
import { readScript, type Script } from '../players/script-file.ts';
import type { Models } from './models.ts';
import { type Gateway, startGateway } from './start.ts';
import { wireRows } from './wires.ts';

const help = `Usage: npm run gateway -- --script FILE [--port N] [--json] [--without-fix] [--per-conversation]

Plays the script over ${wireRows.map((row) => row.wire).join(' and ')} on 127.0.0.1. FILE is a path, or the name of a shipped script: repair.
`;

/** Any model name is served with the window of the bench model. */
const anyModel: Models = { '*': { window: 200_000, maxOutput: 64_000 } };

await main();

async function main(): Promise<void> {
  const options = given();
  if (options === undefined) return;
  const gateway = await started(options);
  if (gateway === undefined) return;
  announce(gateway, options.script.name, options.json);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void finish(gateway));
}

interface Options {
  readonly script: Script;
  readonly port: number;
  readonly json: boolean;
  readonly perConversation: boolean;
}

function given(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        script: { type: 'string' },
        port: { type: 'string', default: '0' },
        json: { type: 'boolean', default: false },
        'without-fix': { type: 'boolean', default: false },
        'per-conversation': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return usage(0);
    if (values.script === undefined) return usage(2);
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new Error(`--port ${values.port} is no port number`);
    const script = readScript(values.script);
    const steps = values['without-fix'] ? withoutFix(script.steps) : script.steps;
    return { script: { ...script, steps }, port, json: values.json, perConversation: values['per-conversation'] };
  } catch (error) {
    return fail(error);
  }
}

function usage(exitCode: number): undefined {
  (exitCode === 0 ? process.stdout : process.stderr).write(help);
  process.exitCode = exitCode;
}

function fail(error: unknown): undefined {
  process.stderr.write(`gateway: ${(error as Error).message}\n`);
  process.exitCode = 2;
}

async function started({ script, port, perConversation }: Options): Promise<Gateway | undefined> {
  const { steps, faults = [], cacheTtlMs } = script;
  const ttl = cacheTtlMs === undefined ? {} : { cacheTtlMs };
  try {
    return await startGateway({
      player: scriptPlayer(steps, { perConversation }),
      port,
      faults,
      models: anyModel,
      ...ttl,
    });
  } catch (error) {
    return fail(error);
  }
}

function announce(gateway: Gateway, script: string, json: boolean): void {
  const urls = wireRows.map((row) => [row.wire, gateway.origin + row.basePath] as const);
  const lines = urls.map(([wire, url]) => `${wire.padEnd(10)} ${url}`);
  const text = json
    ? JSON.stringify({ script, ...Object.fromEntries(urls) })
    : `Playing ${script}\n${lines.join('\n')}`;
  process.stdout.write(`${text}\n`);
}

async function finish(gateway: Gateway): Promise<void> {
  const refused = gateway.requests.filter((request) => request.refusal !== null).length;
  process.stderr.write(`${JSON.stringify({ ...gateway.weights(), refused })}\n`);
  await gateway.close();
}
