/** Signs reasoning as a provider does: a changed text no longer fits its signature, and no other gateway is needed to see it. */
import { createHash } from 'node:crypto';

export function signatureOf(thinking: string): string {
  return createHash('sha256').update(`zerd-simulator:${thinking}`).digest('base64');
}

/** Reasoning as a provider seals it: opaque, of a fixed length, and it no longer opens when the summary was changed. */
export function sealOf(reasoning: string): string {
  return `gAAAAAB${createHash('sha256').update(`zerd-simulator-seal:${reasoning}`).digest('base64url')}==`;
}
