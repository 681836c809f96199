/**
 * Says which servers there are now and which of them may be started: those of the user's configuration, and of a trusted
 * repository's `.mcp.json` those that the user said yes to as they stand. Invariants (I7): before trust no byte of the
 * repository is read; only the record in the state folder says yes; nothing is started here.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { digestInput } from '@zerd/core/mcp/digest-input';
import { type ReadEntries, readRepositoryEntries } from '@zerd/core/mcp/entries';
import { mergeEntries, type SourcedEntry } from '@zerd/core/mcp/merge-entries';
import { isWithin } from '../files/resolve.ts';
import type { Approvals } from './approvals.ts';
import { hashNamedFiles, type KnownHashes, type NamedFiles } from './named-files.ts';
import type { McpParts } from './room.ts';

export interface FoundServer extends SourcedEntry {
  /** Of the entry; where a repository names it, of the files that it names too. */
  readonly digest: string;
  /** The files of the workspace that the digest covers, relative to the root. */
  readonly covered: ReadonlySet<string>;
  readonly approved: boolean;
  /** Why nobody can say yes to it. */
  readonly fault?: string;
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** What of the repository's file has no effect, or not the one that was meant. */
  readonly faults: readonly string[];
}

export const repositoryFile = '.mcp.json';
const mostFileBytes = 1024 * 1024;

/** `how`: `anew` reads every named file, before a start; otherwise those whose stamps have changed. */
export type FindServers = (how?: 'anew') => FoundServers;

export function createFindServers(
  { root, trusted, settings }: Pick<McpParts, 'root' | 'trusted' | 'settings'>,
  approvals: Approvals,
): FindServers {
  const known: KnownHashes = new Map();
  return (how) => {
    if (how === 'anew') known.clear();
    const repository = trusted() ? readRepository(root) : none;
    const { entries, faults } = mergeEntries(settings().servers, repository.entries);
    const servers = entries.map((one) => found(one, root, approvals, known));
    return { servers, faults: [...repository.faults.map((what) => `${repositoryFile}: ${what}.`), ...faults] };
  };
}

function found(one: SourcedEntry, root: string, approvals: Approvals, known: KnownHashes): FoundServer {
  const { hashes, fault } = one.source === 'user' ? nothingCovered : hashNamedFiles(one.entry, root, known);
  const digest = createHash('sha256').update(digestInput(one.entry, hashes)).digest('hex');
  const approved = one.source === 'user' || (fault === undefined && approvals.approved(one.name, digest));
  const unable = one.source === 'repository' && fault !== undefined ? { fault } : {};
  return { ...one, digest, covered: new Set(hashes.keys()), approved, ...unable };
}

/** The user's word for the user's own entry is the entry: a file that it names may be data, which the server changes. */
const nothingCovered: NamedFiles = { hashes: new Map() };

const none: ReadEntries = { entries: [], faults: [] };

function readRepository(root: string): ReadEntries {
  const file = join(root, repositoryFile);
  try {
    const stat = statSync(file);
    // A pipe under this name would keep the daemon waiting for ever.
    if (!stat.isFile()) return { entries: [], faults: ['it is not a regular file'] };
    if (stat.size > mostFileBytes) return { entries: [], faults: ['it is larger than 1 MiB'] };
    if (!isWithin(root, realpathSync(file))) return { entries: [], faults: ['it leads out of the workspace'] };
    return readRepositoryEntries(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    return code === 'ENOENT' ? none : { entries: [], faults: [`it cannot be read (${String(code)})`] };
  }
}
