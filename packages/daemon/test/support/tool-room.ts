/** A workspace in a temporary folder with the real archive and the real search, for the tools that run and look. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultCaps } from '@zerd/core/context/admit/caps';
import type { CallCommands, Jobs } from '@zerd/daemon/base/job-ports';
import type { Archive, Body, Store, ToolContext, ToolResult } from '@zerd/daemon/base/ports';
import { createRipgrepSearch } from '@zerd/daemon/search/ripgrep';
import { openArchive } from '@zerd/daemon/store/archive';
import { callIdSchema, sessionIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';
import { type Clock, systemClock } from '@zerd/protocol/node/clock';
import { testJobs } from './test-jobs.ts';

export interface ToolRoom {
  readonly root: string;
  readonly context: ToolContext;
  put(path: string, content: string | Uint8Array): void;
  /** The same room, for a call that can be interrupted or has another environment. */
  with(change: Partial<ToolContext>): ToolContext;
  remove(): void;
}

export async function makeToolRoom(clock: Clock = systemClock): Promise<ToolRoom> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'room-')));
  const root = join(top, 'app');
  mkdirSync(root);
  const archive = await openArchive(join(top, 'archive'));
  const jobs = testJobs(top, idleStore(archive), clock);
  const commands = roomCommands(jobs, root);
  const base: Omit<ToolContext, 'commands'> = {
    root,
    signal: new AbortController().signal,
    clock,
    search: createRipgrepSearch(root),
    archive,
    caps: defaultCaps,
    env: { PATH: process.env.PATH ?? '', HOME: top },
    seen: () => undefined,
  };
  return {
    root,
    context: { ...base, commands: commands(base) },
    put(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    with(change) {
      const changed = { ...base, ...change };
      return { ...changed, commands: commands(changed) };
    },
    remove() {
      void jobs.close();
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** A store for which nothing happens. */
function idleStore(archive: Archive): Store {
  const never = { [Symbol.dispose]() {} };
  return {
    ...({} as Store),
    archive,
    append: () => Promise.resolve([]),
    onCommit: () => never,
  };
}

function roomCommands(jobs: Jobs, root: string): (context: Pick<ToolContext, 'env'>) => CallCommands {
  const sessionId = sessionIdSchema.parse('ses_room');
  const call = { sessionId, turnId: turnIdSchema.parse('turn_room'), callId: callIdSchema.parse('call_room') };
  return ({ env }) => ({
    afterMs: 15_000,
    start: (command, timeoutMs) =>
      jobs.start({ ...call, command, cwd: root, env, ...(timeoutMs === undefined ? {} : { timeoutMs }) }),
    list: () => jobs.list(),
    jobs,
  });
}

export function textOf({ body }: { readonly body: Body }): string {
  if (body.kind === 'text') return body.text;
  return body.kind === 'spool' ? body.headText + body.tailText : JSON.stringify(body.answer);
}

/** What a test compares: the parts of a result that are set. */
export function brief(result: ToolResult): Record<string, unknown> {
  const { outcome, head, exitCode } = result;
  return JSON.parse(JSON.stringify({ outcome, text: textOf(result), head, exitCode })) as Record<string, unknown>;
}
