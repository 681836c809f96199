/** What a daemon writes beside its socket for people and for other versions. Never proof that it lives: see `probe`. */
import { readFileSync } from 'node:fs';

export interface Registration {
  readonly protocol: { readonly min: number; readonly max: number };
  readonly version: string;
  /** The socket's path; null: a private daemon, which only its own client can reach. */
  readonly endpoint: string | null;
  /** Where a WebSocket is served, and what lets a client in. */
  readonly web?: { readonly url: string; readonly token: string };
  readonly root: string;
  readonly pid: number;
  /** The file that was run; absent in releases that did not write it. */
  readonly program?: string;
  readonly startedAt: number;
}

/** Undefined when there is none that can be read. */
export function readRegistration(file: string): Registration | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRegistration(value) ? value : undefined;
  } catch {
    // Absent, or from a version that writes it differently: nobody depends on it.
    return undefined;
  }
}

function isRegistration(value: unknown): value is Registration {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('root' in value)) return false;
  const endpoint = 'endpoint' in value ? value.endpoint : undefined;
  return (
    typeof value.pid === 'number' &&
    typeof value.root === 'string' &&
    (endpoint === null || typeof endpoint === 'string')
  );
}
