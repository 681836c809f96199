/**
 * The keychain of the system, where there is one: macOS by `security`, Linux by `secret-tool`. Invariants: a key is handed
 * over on standard input, never as an argument that other users see; whoever does not answer in time has no keychain.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Clock } from '@zerd/protocol/node/clock';

export interface Keychain {
  /** Undefined: there is none, or it cannot be asked. */
  get(provider: string): Promise<string | undefined>;
  /** False: it could not be kept. */
  set(provider: string, key: string): Promise<boolean>;
  remove(provider: string): Promise<boolean>;
}

export interface KeychainParts {
  readonly platform: NodeJS.Platform;
  /** With PATH, and on Linux what leads to the session's bus. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

const service = 'zerd';
/** A locked keychain asks its user first. */
const answerMs = 20_000;

/** Undefined: the system has none that zerd knows. */
export function findKeychain(parts: KeychainParts): Keychain | undefined {
  const program = { darwin: 'security', linux: 'secret-tool' }[parts.platform as string];
  const found = program === undefined ? undefined : findProgram(program, parts.env.PATH);
  if (found === undefined) return undefined;
  const ask: Ask = (args, input) => run(parts, found, args, input);
  return parts.platform === 'darwin' ? macKeychain(ask) : secretService(ask);
}

type Ask = (args: readonly string[], input?: string) => Promise<string | undefined>;

function macKeychain(ask: Ask): Keychain {
  return {
    get: async (provider) => trimmed(await ask(['find-generic-password', '-s', service, '-a', provider, '-w'])),
    async set(provider, key) {
      // Orders come on standard input, in words like a shell's: the key has no character that would end its word.
      const order = `add-generic-password -U -s ${service} -a ${provider} -w '${key}'\n`;
      return (await ask(['-i'], order)) !== undefined && trimmed(await this.get(provider)) === key;
    },
    remove: async (provider) => (await ask(['delete-generic-password', '-s', service, '-a', provider])) !== undefined,
  };
}

function secretService(ask: Ask): Keychain {
  const named = (provider: string) => ['service', service, 'account', provider];
  return {
    get: async (provider) => trimmed(await ask(['lookup', ...named(provider)])),
    set: async (provider, key) =>
      (await ask(['store', `--label=zerd ${provider}`, ...named(provider)], key)) !== undefined,
    remove: async (provider) => (await ask(['clear', ...named(provider)])) !== undefined,
  };
}

function trimmed(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

/** What it printed; undefined: it failed, or did not end in time. */
function run({ env, clock }: KeychainParts, program: string, args: readonly string[], input = '') {
  return new Promise<string | undefined>((resolve) => {
    const child = spawn(program, args, { env: known(env), cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] });
    const out: Buffer[] = [];
    const timer = clock.setTimer(answerMs, () => void child.kill('SIGKILL'));
    const end = (text: string | undefined) => {
      timer[Symbol.dispose]();
      resolve(text);
    };
    child.once('error', () => end(undefined));
    // Out of files or processes: there are no streams, and the error comes.
    if (child.pid === undefined) return;
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.once('close', (code) => end(code === 0 ? Buffer.concat(out).toString('utf8') : undefined));
    // It may have ended without reading.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** No key of a provider is any of its business. */
function known(env: KeychainParts['env']): Record<string, string> {
  const names = ['PATH', 'HOME', 'USER', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DISPLAY', 'WAYLAND_DISPLAY'];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function findProgram(name: string, path = ''): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run: the next folder may have it.
    return false;
  }
}
