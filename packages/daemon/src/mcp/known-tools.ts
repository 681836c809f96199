/**
 * Keeps what servers last said of their tools, by the digest of the server, so that a session begins with them without
 * starting it. Invariant: another server, or the same one with another script, has nothing of it.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cleanInstructions, cleanTools } from '@zerd/core/mcp/clean-tools';
import type { McpTool } from '@zerd/core/mcp/server';
import { z } from 'zod';
import type { Log } from '../base/log.ts';
import { readJson, writeJson } from './private-json.ts';

export interface Known {
  readonly tools: readonly McpTool[];
  /** Why tools were left out, a sentence each. */
  readonly leftOut: readonly string[];
  readonly instructions: string;
}

export interface KnownTools {
  find(digest: string): Known | undefined;
  /** What is of none of `digests` goes. Never throws: on a full disk it is kept in memory alone. */
  keep(digest: string, known: Known, digests: ReadonlySet<string>): void;
}

const knownSchema = z.object({
  tools: z.array(z.unknown()),
  leftOut: z.array(z.string()),
  instructions: z.string(),
});

export function openKnownTools(folder: string, log: Log): KnownTools {
  const read = new Map<string, Known | undefined>();
  const fileOf = (digest: string) => join(folder, `${digest}.json`);

  function sweep(digests: ReadonlySet<string>): void {
    for (const digest of read.keys()) if (!digests.has(digest)) read.delete(digest);
    for (const name of readdirSync(folder))
      if (!digests.has(name.replace(/\.json$/, ''))) rmSync(join(folder, name), { force: true });
  }

  return {
    find(digest) {
      if (!read.has(digest)) read.set(digest, knownOf(readJson(fileOf(digest))));
      return read.get(digest);
    },
    keep(digest, known, digests) {
      read.set(digest, known);
      try {
        writeJson(fileOf(digest), known);
        sweep(digests);
      } catch (error) {
        log.warn('the tools of a server could not be kept', { error });
      }
    },
  };
}

function knownOf(value: unknown): Known | undefined {
  const record = knownSchema.safeParse(value).data;
  if (record === undefined) return undefined;
  const { tools } = cleanTools(record.tools);
  return { tools, leftOut: record.leftOut, instructions: cleanInstructions(record.instructions) };
}
