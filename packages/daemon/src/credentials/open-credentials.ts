/**
 * Keeps the user's keys and sign-ins: keys in the keychain where there is one, else in the file; tokens always in the file,
 * because they are replaced with every renewal. Invariants: a change is made under the lock and on what is there then;
 * nobody renews a token twice, in this process or beside it; no key and no token is logged or told.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Network } from '@zerd/providers/provider';
import { codexWay, planWay, type Way } from '@zerd/providers/sign-in/ways';
import type { Credentials, KeptIn } from '../base/credential-ports.ts';
import type { Log } from '../base/log.ts';
import { type CredentialsFile, closeToOthers, readCredentials, writeCredentials } from './file.ts';
import { freshToken } from './fresh-token.ts';
import type { Keychain } from './keychain.ts';
import { underLock } from './lock.ts';
import { createLogins, type OpenCallback } from './logins.ts';

export interface CredentialParts {
  /** The user's configuration folder. */
  readonly folder: string;
  readonly keychain: Keychain | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly openCallback: OpenCallback;
  /** How connections leave the machine. */
  readonly network?: () => Network | undefined;
  /** Where each provider is asked; for tests. */
  readonly wayOf?: (provider: string, installation: string) => Way | undefined;
}

/** Sign-ins by the name of the provider whose models they open. */
function usualWay(provider: string, installation: string): Way | undefined {
  if (provider === 'chatgpt') return planWay(installation);
  return provider === 'codex' ? codexWay() : undefined;
}

export function openCredentials(parts: CredentialParts): Credentials {
  const { folder, keychain, clock, log, wayOf = usualWay } = parts;
  const file = join(folder, 'credentials.json');
  if (closeToOthers(file))
    log.warn('the kept keys could be read by other users until now: change those that matter', { file });
  const change = <T>(task: (now: CredentialsFile) => Promise<readonly [CredentialsFile, T]>): Promise<T> =>
    underLock(join(folder, 'credentials.lock'), clock, async () => {
      const [next, result] = await task(readCredentials(file));
      writeCredentials(file, next);
      return result;
    });
  /** What the keychain was found to hold. */
  const fromKeychain = new Map<string, string>();
  let looked: Promise<void> | undefined;
  const renewing = new Map<string, ReturnType<typeof freshToken>>();

  /** A broken file holds nothing, and says so where a key is missed. */
  function now(): CredentialsFile {
    const found = read();
    if (typeof found !== 'string') return found;
    if (found !== told) log.warn('the kept keys cannot be used', { why: found });
    told = found;
    return {};
  }
  let told: string | undefined;

  /** A text says why it is broken. */
  function read(): CredentialsFile | string {
    try {
      return readCredentials(file);
    } catch (error) {
      if (!isZerdError(error)) throw error;
      return (error as Error).message;
    }
  }

  async function lookIntoKeychain(): Promise<void> {
    const held = Object.entries(now().keys ?? {}).filter(([, kept]) => 'in' in kept);
    for (const [provider] of held) {
      const key = await keychain?.get(provider);
      if (key !== undefined) fromKeychain.set(provider, key);
    }
  }

  function key(provider: string) {
    const kept = now().keys;
    const own = kept !== undefined && Object.hasOwn(kept, provider) ? kept[provider] : undefined;
    if (own === undefined) return undefined;
    if ('key' in own) return { value: own.key, from: 'file' as const };
    const value = fromKeychain.get(provider);
    return value === undefined ? undefined : { value, from: 'keychain' as const };
  }

  function signIn(provider: string) {
    const { signIns = {} } = now();
    return Object.hasOwn(signIns, provider) ? signIns[provider] : undefined;
  }

  const wayFor = (provider: string, { installation = '' }: CredentialsFile) => wayOf(provider, installation);

  /** In this process they all wait for the same renewal. */
  function tokenOf(provider: string): ReturnType<typeof freshToken> {
    const running = renewing.get(provider);
    if (running !== undefined) return running;
    const way = wayFor(provider, now());
    const asked = freshToken({ provider, way, read: () => signIn(provider), change, ...askParts() });
    renewing.set(provider, asked);
    const forget = () => void renewing.delete(provider);
    asked.then(forget, forget);
    return asked;
  }

  const askParts = () => ({ clock, network: parts.network?.() });

  const logins = createLogins({
    clock,
    openCallback: parts.openCallback,
    ask: askParts,
    async keep(provider, tokens) {
      await change(async (before) => [{ ...before, signIns: { ...before.signIns, [provider]: tokens } }, undefined]);
      return 'file';
    },
  });

  return {
    stored: {
      key,
      token: (provider) => (signIn(provider) === undefined ? undefined : () => tokenOf(provider)),
      broken() {
        const found = read();
        return typeof found === 'string' ? found : undefined;
      },
    },
    ready() {
      looked ??= lookIntoKeychain();
      return looked;
    },
    signedIn(provider) {
      const found = signIn(provider);
      if (found === undefined) return undefined;
      const { email, plan, expiresAt } = found;
      return { expiresAt, ...(email === undefined ? {} : { email }), ...(plan === undefined ? {} : { plan }) };
    },
    async keepKey(provider, value) {
      // Before the keychain is changed: what cannot be noted is kept nowhere.
      readCredentials(file);
      const inKeychain = (await keychain?.set(provider, value)) === true;
      if (inKeychain) fromKeychain.set(provider, value);
      const kept = inKeychain ? ({ in: 'keychain' } as const) : { key: value };
      await change(async (before) => [{ ...before, keys: { ...before.keys, [provider]: kept } }, undefined]);
      return inKeychain ? 'keychain' : 'file';
    },
    async remove(provider) {
      const places = await change(async (before) => {
        const { [provider]: key, ...keys } = before.keys ?? {};
        const { [provider]: tokens, ...signIns } = before.signIns ?? {};
        const held: KeptIn[] = [];
        if (key !== undefined && 'in' in key) held.push('keychain');
        if (tokens !== undefined || (key !== undefined && 'key' in key)) held.push('file');
        return [{ ...before, keys, signIns }, held];
      });
      fromKeychain.delete(provider);
      if (places.includes('keychain')) await keychain?.remove(provider);
      return places;
    },
    async beginLogin(provider, how) {
      const installation = await change(async (before) => {
        const known = before.installation ?? randomUUID();
        return [{ ...before, installation: known }, known] as const;
      });
      const way = wayOf(provider, installation);
      if (way === undefined) throw noWay(provider);
      if (how === 'device' && way.device === undefined) throw noDevice(provider);
      return logins.begin(provider, way, how);
    },
    awaitLogin: logins.wait,
    close: logins.close,
  };
}

function noWay(provider: string): ZerdError {
  return new ZerdError(
    'invalid_params',
    `Nobody signs in to ${provider}: give its key on standard input. Signing in is for chatgpt and codex. Nothing was changed.`,
  );
}

function noDevice(provider: string): ZerdError {
  return new ZerdError(
    'invalid_params',
    `${provider} has no way over another device: sign in with a browser, and paste the address where it ends. Nothing was changed.`,
  );
}
