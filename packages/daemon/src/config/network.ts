/**
 * Reads from a client's environment how connections to providers leave the machine: the proxies in either case, small
 * letters first as in curl, and the certificates of NODE_EXTRA_CA_CERTS. The daemon's own environment has no say in it.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Network } from '@zerd/providers/provider';

type Env = Readonly<Record<string, string | undefined>>;

/** Undefined: as if nothing were set. */
export function networkOf(env: Env): Network | undefined {
  const extra = extraCaOf(env);
  const network = {
    httpProxy: either(env, 'http_proxy'),
    httpsProxy: either(env, 'https_proxy'),
    noProxy: either(env, 'no_proxy'),
    extraCa: extra.kind === 'read' ? extra.pem : undefined,
  };
  const given = Object.entries(network).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** What of it has no effect, for people. */
export function networkWarnings(env: Env): readonly string[] {
  const extra = extraCaOf(env);
  return extra.kind === 'ignored' ? [`NODE_EXTRA_CA_CERTS has no effect: ${extra.why}.`] : [];
}

function either(env: Env, name: string): string | undefined {
  return env[name]?.trim() || env[name.toUpperCase()]?.trim() || undefined;
}

type ExtraCa =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly pem: string }
  | { readonly kind: 'ignored'; readonly why: string };

/** As in Node, what cannot be read counts for nothing: it only ever adds trust. */
function extraCaOf(env: Env): ExtraCa {
  const file = env.NODE_EXTRA_CA_CERTS?.trim();
  if (!file) return { kind: 'none' };
  // Where the client stood is not known here.
  if (!isAbsolute(file)) return { kind: 'ignored', why: `${file} is no absolute path` };
  try {
    const pem = readFileSync(file, 'utf8');
    new X509Certificate(pem);
    return { kind: 'read', pem };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    const why =
      code === 'ENOENT' || code === 'EACCES' ? `${file} cannot be read (${code})` : `${file} is no certificate`;
    return { kind: 'ignored', why };
  }
}
