/** A workspace in a temporary folder with the context that the file tools need; what the model saw follows its results. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultCaps } from '@zerd/core/context/admit/caps';
import type { ToolInput } from '@zerd/core/tools/declarations';
import type { Archive, ToolContext, ToolResult } from '@zerd/daemon/base/ports';
import { hashOf } from '@zerd/daemon/files/load-file';
import { run as runEdit } from '@zerd/daemon/tools/edit/run';
import { run as runRead } from '@zerd/daemon/tools/read/run';
import { run as runWrite } from '@zerd/daemon/tools/write/run';
import type { SeenFile } from '@zerd/protocol/common/event';
import { archiveIdSchema } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import { noCommands } from '../support/no-commands.ts';

export interface Workspace {
  readonly top: string;
  readonly root: string;
  readonly context: ToolContext;
  readonly archived: ReadonlyMap<string, Buffer>;
  put(path: string, content: string | Uint8Array): string;
  bytes(path: string): Buffer;
  text(path: string): string;
  read(input: ToolInput<'read'>): Promise<ToolResult>;
  edit(input: ToolInput<'edit'>): Promise<ToolResult>;
  write(input: ToolInput<'write'>): Promise<ToolResult>;
  remove(): void;
}

export function makeWorkspace(change: Partial<ToolContext> = {}): Workspace {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-files-')));
  const root = join(top, 'w', 'app');
  mkdirSync(root, { recursive: true });
  const archived = new Map<string, Buffer>();
  const seen = new Map<string, SeenFile>();
  const context: ToolContext = {
    root,
    signal: new AbortController().signal,
    clock: systemClock,
    search: { search: unused, find: unused },
    archive: archiveIn(top, archived),
    commands: noCommands,
    caps: defaultCaps,
    env: {},
    seen: (path) => seen.get(path),
    ...change,
  };
  /** As the runner does: the body is archived, the files are remembered. */
  const keep = async (result: ToolResult): Promise<ToolResult> => {
    if (result.body.kind === 'text') await context.archive.put(result.body.text);
    for (const file of result.files ?? []) seen.set(file.path, file);
    return result;
  };
  return {
    top,
    root,
    context,
    archived,
    put(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
      return join(root, path);
    },
    bytes: (path) => readFileSync(join(root, path)),
    text: (path) => readFileSync(join(root, path), 'utf8'),
    read: async (input) => keep(await runRead(input, context)),
    edit: async (input) => keep(await runEdit(input, context)),
    write: async (input) => keep(await runWrite(input, context)),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** The text of a result in memory. */
export function textOf(result: ToolResult): string {
  return result.body.kind === 'text' ? result.body.text : '';
}

function archiveIn(folder: string, archived: Map<string, Buffer>): Archive {
  const idOf = (body: string | Uint8Array) => archiveIdSchema.parse(hashOf(Buffer.from(body as Uint8Array)));
  const fileOf = (id: string) => join(folder, `archived-${id}`);
  return {
    idOf,
    put: async (body) => {
      const id = idOf(body);
      archived.set(id, Buffer.from(body as Uint8Array));
      writeFileSync(fileOf(id), body);
      return id;
    },
    adopt: unused,
    locate: async (prefix) => {
      const id = [...archived.keys()].find((known) => known.startsWith(prefix));
      if (id === undefined) return undefined;
      return { id: archiveIdSchema.parse(id), file: fileOf(id), bytes: archived.get(id)?.length ?? 0 };
    },
    spoolPath: () => join(folder, 'spool'),
  };
}

function unused(): Promise<never> {
  return Promise.reject(new Error('not a part of these tests'));
}
