/**
 * Does: attempts to sign in, one for each provider: opens the callback of the browser, or asks again and again whether the
 * code was typed on another device. Invariants: an attempt ends by its deadline; a callback that is not for it changes
 * nothing; what it holds lives in memory only.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { Clock } from '@zerd/protocol/node/clock';
import { type Attempt, authorizeUrl, newAttempt, readCallback } from '@zerd/providers/sign-in/authorize';
import { randomWord } from '@zerd/providers/sign-in/pkce';
import { askDeviceCode, pollDevice, redeemCode, type TokenAnswer, type Tokens } from '@zerd/providers/sign-in/tokens';
import type { DeviceWay, Way } from '@zerd/providers/sign-in/ways';
import type { PostParts } from '@zerd/providers/transport/post';
import type { KeptIn, LoginState } from '../base/credential-ports.ts';

/** Listens where the browser comes back to; `arrived` says whether that was for us. Rejects when the port is taken. */
export type OpenCallback = (redirectUrl: string, arrived: (url: string) => boolean) => Promise<Disposable>;

export interface LoginParts {
  readonly clock: Clock;
  readonly openCallback: OpenCallback;
  readonly ask: () => PostParts;
  keep(provider: string, tokens: Tokens): Promise<KeptIn>;
}

export interface Logins {
  begin(provider: string, way: Way, how: 'browser' | 'device'): Promise<LoginState>;
  wait(loginId: string, pasted?: string): Promise<LoginState>;
  close(): Promise<void>;
}

interface Login {
  readonly loginId: string;
  readonly provider: string;
  readonly attempt: Attempt;
  readonly over: AbortController;
  state: LoginState;
  door: Disposable | undefined;
  redeeming: boolean;
  readonly told: Set<() => void>;
}

/** How long a page may stay open. */
const browserMs = 10 * 60_000;
/** How long a question for the outcome may stay unanswered. */
const waitMs = 20_000;

export function createLogins(parts: LoginParts): Logins {
  const { clock, keep, ask } = parts;
  const logins = new Map<string, Login>();

  function settle(login: Login, state: LoginState): void {
    if (login.state.state !== 'waiting') return;
    login.state = state;
    login.over.abort();
    login.door?.[Symbol.dispose]();
    for (const tell of login.told) tell();
  }

  async function take(login: Login, answer: Promise<TokenAnswer>): Promise<void> {
    login.redeeming = true;
    try {
      const said = await answer;
      if (said.kind !== 'tokens') return settle(login, { state: 'failed', why: said.why });
      settle(login, { state: 'done', keptIn: await keep(login.provider, said.tokens) });
    } catch (error) {
      settle(login, { state: 'failed', why: (error as Error).message });
    }
  }

  /** True: it was for this attempt. */
  function arrived(login: Login, url: string): boolean {
    const callback = readCallback(login.attempt, url);
    if (callback.kind === 'foreign' || login.state.state !== 'waiting' || login.redeeming) return false;
    if (callback.kind === 'refused') settle(login, { state: 'failed', why: callback.why });
    else void take(login, redeemCode(login.attempt, callback, { ...ask(), signal: login.over.signal }));
    return true;
  }

  async function byBrowser(login: Login): Promise<void> {
    const { way } = login.attempt;
    try {
      login.door = await parts.openCallback(way.redirectUrl, (url) => arrived(login, url));
    } catch {
      // Another program listens there: the address can still be pasted.
      login.door = undefined;
    }
    expire(login, browserMs);
  }

  function expire(login: Login, ms: number): void {
    const why = 'nobody signed in in time';
    const timer = clock.setTimer(ms, () => settle(login, { state: 'failed', why }));
    login.over.signal.addEventListener('abort', () => timer[Symbol.dispose](), { once: true });
  }

  async function byDevice(login: Login, device: DeviceWay): Promise<void> {
    const { way } = login.attempt;
    const code = await askDeviceCode(way, device, ask());
    if ('why' in code) return settle(login, { state: 'failed', why: code.why });
    login.state = { state: 'waiting', loginId: login.loginId, url: device.pageUrl, userCode: code.userCode };
    expire(login, device.lastsMs);
    const signal = login.over.signal;
    const poll = async () => {
      while (!signal.aborted) {
        await clock.sleep(code.everyMs, signal);
        const answer = await pollDevice(way, device, code, { ...ask(), signal });
        if (answer.kind === 'pending' || answer.kind === 'unreachable') continue;
        return await take(login, Promise.resolve(answer));
      }
    };
    // Ended from elsewhere: its state says how.
    poll().catch(() => {});
  }

  return {
    async begin(provider, way, how) {
      for (const other of logins.values())
        if (other.provider === provider) settle(other, { state: 'failed', why: 'another attempt took its place' });
      const attempt = newAttempt(way);
      const loginId = randomWord().slice(0, 16);
      const login: Login = {
        ...{ loginId, provider, attempt, over: new AbortController(), door: undefined, redeeming: false },
        state: { state: 'waiting', loginId, url: authorizeUrl(attempt) },
        told: new Set(),
      };
      logins.set(loginId, login);
      if (how === 'device' && way.device !== undefined) await byDevice(login, way.device);
      else await byBrowser(login);
      return login.state;
    },
    async wait(loginId, pasted) {
      const login = logins.get(loginId);
      if (login === undefined)
        throw new ZerdError('invalid_params', 'There is no such attempt to sign in. Begin again with `zerd login`.');
      if (pasted !== undefined && login.state.state === 'waiting' && !arrived(login, pasted.trim()))
        throw new ZerdError(
          'invalid_params',
          'That address does not belong to this attempt. Paste the whole address at which the browser ended.',
        );
      if (login.state.state === 'waiting') await changed(login, clock);
      return login.state;
    },
    async close() {
      for (const login of logins.values()) settle(login, { state: 'failed', why: 'the daemon has ended' });
    },
  };
}

function changed(login: Login, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const tell = () => {
      timer[Symbol.dispose]();
      login.told.delete(tell);
      resolve();
    };
    const timer = clock.setTimer(waitMs, tell);
    login.told.add(tell);
  });
}
