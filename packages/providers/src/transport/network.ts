/**
 * Decides how connections to an address leave the machine, by what the client's environment says (HTTP_PROXY, HTTPS_PROXY,
 * NO_PROXY). Invariants: what is on this machine is reached directly; a proxy adds itself to the way and never changes
 * where it leads; extra authorities are trusted beside the built-in ones, never in their place.
 */
import { rootCertificates } from 'node:tls';
import type { Agent, Dispatcher } from 'undici';
import { placeIn } from '../failure/place.ts';
import type { Network } from '../provider.ts';

type Undici = typeof import('undici')['default'];

/** Time is kept on the injected clock; undici's own limit only frees the socket of an attempt that was given up. */
const connectMs = 60_000;

export function openAgent(undici: Undici, address: string, network: Network = {}): Dispatcher {
  const secure = network.extraCa === undefined ? {} : { ca: [...rootCertificates, network.extraCa] };
  const connect = { timeout: connectMs, ...secure };
  const options: Agent.Options = { connect, headersTimeout: 0, bodyTimeout: 0 };
  const uri = proxyOf(address, network);
  if (uri === undefined) return new undici.Agent(options);
  // Many proxies open no tunnel to where plain HTTP is spoken.
  return new undici.ProxyAgent({ ...options, uri, proxyTunnel: false, requestTls: connect, proxyTls: connect });
}

/** Where the way to an address leads first, for people; undefined: it is direct. */
export function proxyPlace(address: string, network: Network = {}): string | undefined {
  const proxy = proxyOf(address, network);
  return proxy === undefined ? undefined : placeIn(proxy);
}

/** What of it must stand in no message: a proxy's password. */
export function networkSecrets({ httpProxy = '', httpsProxy = '' }: Network = {}): readonly string[] {
  return [httpProxy, httpsProxy].flatMap((proxy) => {
    const [, user = ''] = /^(?:[a-z][a-z\d+.-]*:\/\/)?([^@/]*)@/i.exec(proxy) ?? [];
    return user === '' ? [] : [user, user.slice(user.indexOf(':') + 1)];
  });
}

/** The vendors' own addresses are not given, and are of https. */
function proxyOf(address: string, { httpProxy, httpsProxy, noProxy = '' }: Network): string | undefined {
  const url = new URL(URL.canParse(address) ? address : 'https://vendor.invalid');
  if (isLoopback(url.hostname) || isListed(url, noProxy)) return undefined;
  const proxy = url.protocol === 'http:' ? httpProxy : httpsProxy;
  if (proxy === undefined) return undefined;
  return /^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
}

/** As curl and Node read the list: names with all that ends in them, with a port or without, or `*`. */
function isListed({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const own = port || (protocol === 'http:' ? '80' : '443');
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = '', of = own] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      return entry === '*' || (name !== '' && of === own && (hostname === name || hostname.endsWith(`.${name}`)));
    });
}
