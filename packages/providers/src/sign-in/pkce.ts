/**
 * What proves that whoever redeems a code is whoever asked for it (RFC 7636, method S256), and the words that tie a callback
 * to its request. Invariant: each is of 256 random bits and is used once.
 */
import { createHash, randomBytes } from 'node:crypto';

export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

/** `bytes`: 32 random ones. */
export function proofFrom(bytes: Uint8Array): Proof {
  const verifier = Buffer.from(bytes).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier, 'ascii').digest('base64url') };
}

export function newProof(): Proof {
  return proofFrom(randomBytes(32));
}

export function randomWord(): string {
  return randomBytes(32).toString('base64url');
}
