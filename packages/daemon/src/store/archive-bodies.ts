/**
 * Removes and rewrites archived bodies, for maintenance alone. Invariant: the body that stands in another's place is
 * synced under its own hash before the other goes.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Archive } from '../base/ports.ts';

export interface BodyStore {
  /** Those whose id or hash is given; what is no body is passed over. */
  remove(ids: readonly string[]): Promise<void>;
  /** Puts a copy without the secret beside each body that holds it; the whole hashes, old and new. */
  rewrite(secret: string, replacement: string): Promise<ReadonlyMap<string, string>>;
  removeRenamed(renamed: ReadonlyMap<string, string>): Promise<void>;
}

export function openBodies(folder: string, archive: Archive): BodyStore {
  const place = (name: string) => join(folder, name.slice(0, 2), name);
  return {
    async remove(ids) {
      for (const id of ids) {
        const found = await archive.locate(id);
        if (found !== undefined) await rm(found.file, { force: true });
      }
    },
    async rewrite(secret, replacement) {
      const renamed = new Map<string, string>();
      for (const name of names(folder)) {
        const body = await readFile(place(name));
        const next = without(body, Buffer.from(secret), Buffer.from(replacement));
        if (next === undefined) continue;
        await archive.put(next);
        renamed.set(hashOf(name), createHash('sha256').update(next).digest('hex'));
      }
      return renamed;
    },
    async removeRenamed(renamed) {
      for (const name of names(folder)) if (renamed.has(hashOf(name))) await rm(place(name), { force: true });
    },
  };
}

/** A name is the hash, perhaps with how many of its digits are the id. */
function hashOf(name: string): string {
  return name.split('.')[0] ?? name;
}

function names(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const shelves = entries.filter((entry) => entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name));
  return shelves.flatMap(({ name }) => readdirSync(join(folder, name)));
}

/** Undefined: it is not in there. Bodies are at most 64 MiB. */
function without(body: Buffer, secret: Buffer, replacement: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = body.indexOf(secret); at >= 0; at = body.indexOf(secret, from)) {
    parts.push(body.subarray(from, at), replacement);
    from = at + secret.length;
  }
  return from === 0 ? undefined : Buffer.concat([...parts, body.subarray(from)]);
}
