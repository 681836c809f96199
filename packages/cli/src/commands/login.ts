/**
 * `zerd login`: keeps a provider's key, read from a hidden prompt or from standard input and never from an argument, or
 * signs in as a ChatGPT subscriber. Without a provider it says where each key comes from.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { ResultOf } from '@zerd/protocol/common/methods';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { keyTable, type ProviderKey, signsIn } from '../present/key-table.ts';
import type { Terminal } from '../terminal.ts';

export const loginCommand = defineCommand({
  name: 'login',
  usage: 'login [provider]',
  says: "Keeps a provider's key, or signs in as a ChatGPT subscriber; without a provider: where keys come from",
  positionals: { provider: { type: 'string', describe: 'anthropic, openai, chatgpt, codex, or one of your own' } },
  options: ['device'],
  examples: [
    ['zerd login', 'Where the key of each provider comes from'],
    ['zerd login anthropic', 'Asks for the key, which is not shown'],
    ['zerd login openai < key.txt', 'Kept in the keychain of the system where there is one, else in a file'],
    ['zerd login chatgpt', 'Signs in with ChatGPT: your plan pays for the models chatgpt/...'],
    ['zerd login codex --device', 'The same through another device, for the models codex/...'],
  ],
  async perform({ provider, device }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const { providers, broken } = await client.request('auth/status', {});
      if (provider === undefined) {
        terminal.out(keyTable(providers));
        if (broken !== undefined) terminal.err(`${sanitiseLine(broken)}\n`);
        return exitCode.done;
      }
      const known = providers.find((one) => one.provider === provider);
      if (known === undefined) throw unknown(provider, providers);
      const how = device === true ? 'device' : 'browser';
      if (signsIn(known)) return await signIn(client, provider, how, terminal);
      return await keepKey(client, known, terminal);
    } finally {
      client.close();
    }
  },
});

async function keepKey(client: ZerdClient, { provider, variable }: ProviderKey, terminal: Terminal): Promise<number> {
  const asked = terminal.inputIsTerminal
    ? await terminal.readSecret(`Key of ${sanitiseLine(provider)} (not shown): `)
    : await terminal.readInput();
  const key = asked?.trim() ?? '';
  if (key === '') throw new ZerdError('invalid_params', 'No key was given. Nothing was kept.');
  const state = await client.request('auth/login', { provider, key });
  if (state.state !== 'done') throw new ZerdError('internal_error', 'The key was not kept.');
  terminal.out(`The key of ${sanitiseLine(provider)} is kept in ${places[state.keptIn]}.\n`);
  if (variable !== undefined && (terminal.env[variable] ?? '') !== '')
    terminal.err(`zerd: ${sanitiseLine(variable)} is set here and goes before it.\n`);
  return exitCode.done;
}

const places = { keychain: 'the keychain of the system', file: 'a file that only you can read' } as const;

type State = ResultOf<'auth/login'>;
type Waiting = Extract<State, { state: 'waiting' }>;

async function signIn(
  client: ZerdClient,
  provider: string,
  way: 'browser' | 'device',
  terminal: Terminal,
): Promise<number> {
  const begun = await client.request('auth/login', { provider, way });
  if (begun.state === 'waiting') terminal.err(invitation(begun, terminal));
  const ended = begun.state === 'waiting' ? await outcome(client, provider, begun, terminal) : begun;
  if (ended.state === 'done') {
    terminal.out(
      `Signed in. Use it as --model ${sanitiseLine(provider)}/MODEL; \`zerd logout ${sanitiseLine(provider)}\` ends it.\n`,
    );
    return exitCode.done;
  }
  const why = ended.state === 'failed' ? sanitiseLine(ended.why) : 'it was given up';
  throw new ZerdError('provider_auth', `Not signed in: ${why}. Nothing was changed; run \`zerd login\` again.`);
}

function invitation({ url, userCode }: Waiting, { inputIsTerminal }: Terminal): string {
  const open = `Open this page and sign in:\n\n  ${sanitiseLine(url)}\n\n`;
  if (userCode !== undefined) return `${open}and type there: ${sanitiseLine(userCode)}\n`;
  return inputIsTerminal ? `${open}If it ends at an address that cannot be opened, paste that address here.\n` : open;
}

/** Asked again until it is over. What is pasted meanwhile is tried; an address that is none is told, and another one taken. */
async function outcome(client: ZerdClient, provider: string, begun: Waiting, terminal: Terminal): Promise<State> {
  const { loginId } = begun;
  const over = new AbortController();
  const pasted = terminal.inputIsTerminal && begun.userCode === undefined ? paste : undefined;
  void pasted?.();
  try {
    for (;;) {
      const state = await client.request('auth/login', { provider, loginId });
      if (state.state !== 'waiting') return state;
    }
  } finally {
    over.abort();
  }

  async function paste(): Promise<void> {
    for (;;) {
      const line = await terminal.readLine(over.signal);
      if (line === undefined) return;
      if (line.trim() === '') continue;
      try {
        await client.request('auth/login', { provider, loginId, pasted: line.trim() });
      } catch (error) {
        terminal.err(`zerd: ${sanitiseLine((error as Error).message)}\n`);
      }
    }
  }
}

function unknown(provider: string, providers: readonly ProviderKey[]): ZerdError {
  const names = providers.map((one) => sanitiseLine(one.provider)).join(', ');
  return new ZerdError('invalid_params', `There is no provider ${JSON.stringify(provider)}. Known: ${names}.`);
}
