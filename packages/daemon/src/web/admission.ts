/**
 * Decides whether an HTTP request may become a WebSocket, before any byte of the protocol. Invariants: a name that is not
 * this machine's own loopback (a rebound one) and a page from elsewhere are refused whatever they know; nobody is let in
 * without the token, and how long the answer takes says nothing about it.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

export interface Knock {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  /** `Sec-WebSocket-Protocol`: where a page can put a token that cannot set headers. */
  readonly protocols: string | undefined;
}

export type Admission =
  | { readonly status: 101; readonly protocol: string | undefined }
  | { readonly status: 401 | 403 };

/** What a client that cannot set `Authorization` offers besides, followed by the token. */
const tokenProtocol = 'zerd.token.';
export const plainProtocol = 'zerd';

export function admit(knock: Knock, { port, token }: { readonly port: number; readonly token: string }): Admission {
  const names = loopbackNames.map((name) => `${name}:${port}`);
  if (knock.host === undefined || !names.includes(knock.host.toLowerCase())) return { status: 403 };
  if (knock.origin !== undefined && !names.some((name) => knock.origin === `http://${name}`)) return { status: 403 };
  const offered = (knock.protocols ?? '').split(',').map((part) => part.trim());
  const bearer = /^Bearer ([^\s]+)$/i.exec(knock.authorization ?? '')?.[1];
  const given = bearer ?? offered.find((part) => part.startsWith(tokenProtocol))?.slice(tokenProtocol.length);
  if (!isSame(given ?? '', token)) return { status: 401 };
  return { status: 101, protocol: offered.includes(plainProtocol) ? plainProtocol : undefined };
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Digests have one length, so that nothing is learnt from comparing. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
