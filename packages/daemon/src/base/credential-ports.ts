/** What is kept of the user's keys and sign-ins, as the settings and the server use it. */
import type { AccessToken } from '@zerd/providers/provider';

export type KeptIn = 'keychain' | 'file';

/** What there is at this moment. */
export interface StoredKeys {
  key(provider: string): { readonly value: string; readonly from: KeptIn } | undefined;
  /** Undefined: nobody has signed in there. */
  token(provider: string): AccessToken | undefined;
  /** Why nothing of what was kept can be used: where, what was kept of it and what to do. Undefined: it can. */
  broken(): string | undefined;
}

export interface SignedIn {
  readonly email?: string;
  readonly plan?: string;
  /** Milliseconds of the epoch: when the access token is renewed at the latest. */
  readonly expiresAt: number;
}

export type LoginState =
  | { readonly state: 'waiting'; readonly loginId: string; readonly url: string; readonly userCode?: string }
  | { readonly state: 'done'; readonly keptIn: KeptIn }
  | { readonly state: 'failed'; readonly why: string };

export interface Credentials {
  readonly stored: StoredKeys;
  /** Settles when the keychain was looked into; the first client waits for it. */
  ready(): Promise<void>;
  signedIn(provider: string): SignedIn | undefined;
  /** Rejects with store_failed. */
  keepKey(provider: string, key: string): Promise<KeptIn>;
  /** Where something was removed. */
  remove(provider: string): Promise<readonly KeptIn[]>;
  /** Begins to sign in. Rejects with invalid_params: there is no such way there. */
  beginLogin(provider: string, way: 'browser' | 'device'): Promise<LoginState>;
  /** What became of it, after a while at the latest; `pasted`: the address that the browser was sent back to. */
  awaitLogin(loginId: string, pasted?: string): Promise<LoginState>;
  close(): Promise<void>;
}
