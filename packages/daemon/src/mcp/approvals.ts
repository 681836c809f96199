/**
 * Keeps the user's word that a server of this repository may be started. Invariants (I7, S-27): the record lies in the
 * user's state folder, names the real path of the workspace, and holds for one digest, so that another byte of what the
 * server is made of is another server; a copied, moved or broken record means no.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJson } from './private-json.ts';

export interface Approvals {
  approved(name: string, digest: string): boolean;
  approve(name: string, digest: string): void;
  /** False: there was no word to take back. */
  revoke(name: string): boolean;
}

const recordSchema = z.object({ root: z.string(), approved: z.record(z.string(), z.string()) });

export function openApprovals(stateFolder: string, root: string): Approvals {
  const file = join(stateFolder, 'mcp-approvals.json');

  function read(): ReadonlyMap<string, string> {
    const record = recordSchema.safeParse(readJson(file)).data;
    return new Map(record?.root === root ? Object.entries(record.approved) : []);
  }

  function write(approved: ReadonlyMap<string, string>): void {
    writeJson(file, { root, approved: Object.fromEntries(approved) });
  }

  return {
    approved: (name, digest) => read().get(name) === digest,
    approve: (name, digest) => write(new Map(read()).set(name, digest)),
    revoke(name) {
      const approved = new Map(read());
      const was = approved.delete(name);
      if (was) write(approved);
      return was;
    },
  };
}
