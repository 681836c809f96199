/**
 * Decides what going back to an earlier point of a session takes: where the log is cut, and what the files were there that
 * its tools have changed since. Invariant: unless that is wished, a file is put back only over what the last of these
 * changes left, and only when nothing else changed it in between.
 */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { messagesIn } from '@zerd/protocol/common/said-messages';

type Finished = Extract<SessionEvent, { kind: 'toolCall.finished' }>;

export interface CutWish {
  /** The last event that stays. */
  readonly atSeq?: number | undefined;
  /** How many of the newest turns with a message are taken back. */
  readonly turns?: number | undefined;
}

export interface Cut {
  readonly seq: number;
  /** The first message that is taken back; absent: none is. */
  readonly text?: string;
}

/** Undefined: there is no such event, or there are not so many turns. */
export function cutOf(events: readonly LoggedEvent[], { atSeq, turns = 1 }: CutWish): Cut | undefined {
  const seq = atSeq ?? messagesIn(events).at(-turns)?.seq;
  if (seq === undefined || seq > (events.at(-1)?.seq ?? 0)) return undefined;
  const said = events.find((logged) => logged.seq > seq && logged.event.kind === 'message.submitted')?.event;
  return { seq, ...(said?.kind === 'message.submitted' ? { text: said.text } : {}) };
}

/** One change of one file by a tool. */
export interface FileChange {
  readonly path: string;
  /** SHA-256; null: there was no file; undefined: not known. */
  readonly before: string | null | undefined;
  /** Undefined: not known, the call was cut off. */
  readonly after: string | undefined;
  /** How many of the folders around it were made for it. */
  readonly madeFolders?: number | undefined;
}

export interface ChangesSince {
  /** In order; those of sub-agents where their parent began them. */
  readonly files: readonly FileChange[];
  /** Commands that ran: what they changed is not known. */
  readonly commands: number;
  /** Sub-agents whose sessions were removed: what they changed is not known either. */
  readonly lostAgents: number;
  /** Commands of these that still run. */
  readonly runningJobs: number;
}

export type ReadEvents = (sessionId: SessionId) => readonly LoggedEvent[];

/** What the session's tools, and those of its sub-agents, changed behind an event. */
export function changesSince(read: ReadEvents, sessionId: SessionId, seq: number): ChangesSince {
  return changesIn(read(sessionId), seq, read);
}

function changesIn(events: readonly LoggedEvent[], seq: number, read: ReadEvents): ChangesSince {
  const calls = new Map<string, Extract<SessionEvent, { kind: 'toolCall.started' }>>();
  const files: FileChange[] = [];
  const jobs = new Set<string>();
  let [commands, lostAgents, theirJobs] = [0, 0, 0];
  for (const { seq: at, event } of events) {
    if (event.kind === 'toolCall.started') calls.set(event.callId, event);
    if (at <= seq) continue;
    if (event.kind === 'toolCall.started' && event.name === 'shell') commands += 1;
    else if (event.kind === 'job.started') jobs.add(event.jobId);
    else if (event.kind === 'job.finished') jobs.delete(event.jobId);
    else if (event.kind === 'toolCall.finished') files.push(...changesOf(event, calls.get(event.callId)));
    else if (event.kind === 'subagent.started') {
      const log = read(event.sessionId);
      const theirs = changesIn(log, 0, read);
      files.push(...theirs.files);
      commands += theirs.commands;
      theirJobs += theirs.runningJobs;
      lostAgents += theirs.lostAgents + (log.length === 0 ? 1 : 0);
    }
  }
  return { files, commands, lostAgents, runningJobs: theirJobs + jobs.size };
}

function changesOf(
  { files = [], outcome }: Finished,
  call: { readonly name: string; readonly inputJson: string } | undefined,
): readonly FileChange[] {
  const written = files.filter(({ how }) => how === 'written');
  const path = outcome === 'unknown' && call !== undefined ? pathToWrite(call) : undefined;
  if (written.length > 0 || path === undefined)
    return written.map(({ path, hash, before, madeFolders }) => ({ path, before, after: hash, madeFolders }));
  return [{ path, before: undefined, after: undefined }];
}

/** Which file a call writes, as the model named it; undefined: it writes none. */
export function pathToWrite({
  name,
  inputJson,
}: {
  readonly name: string;
  readonly inputJson: string;
}): string | undefined {
  if (name !== 'edit' && name !== 'write') return undefined;
  const input = JSON.parse(inputJson) as { readonly path?: unknown } | null;
  return typeof input?.path === 'string' ? input.path : undefined;
}

/** What a file was, and what the last of the changes left. */
export interface WayBack {
  readonly path: string;
  /** SHA-256 of what it held at that point; null: there was no file; undefined: not known. */
  readonly back: string | null | undefined;
  /** What it holds if nobody changed it since; undefined: not known, or something else changed it in between. */
  readonly now: string | undefined;
}

/** By path, in the order of their first change. A file that ends as it began needs none. */
export function waysBack(changes: readonly FileChange[]): readonly WayBack[] {
  const byPath = new Map<string, FileChange[]>();
  for (const change of changes) byPath.set(change.path, [...(byPath.get(change.path) ?? []), change]);
  return [...byPath]
    .map(([path, own]) => wayOf(path, own))
    .filter(({ back, now }) => back === undefined || back !== now);
}

/** Whether a call that was cut off came to change it shows in what is there, or in what the next change began with. */
function wayOf(path: string, all: readonly FileChange[]): WayBack {
  const changes = all.filter(({ after }) => after !== undefined);
  const isUnbroken = changes.every(({ before }, n) => n === 0 || before === changes[n - 1]?.after);
  return { path, back: all[0]?.before, now: isUnbroken ? changes.at(-1)?.after : undefined };
}

/** The folders that were made for these files, the innermost first: what of them is empty afterwards goes too. */
export function foldersMade(changes: readonly FileChange[]): readonly string[] {
  const made = changes.flatMap(({ path, madeFolders = 0 }) => {
    const names = path.split('/').slice(0, -1);
    return names.map((_, n) => names.slice(0, n + 1).join('/')).slice(names.length - madeFolders);
  });
  return [...new Set(made)].sort((a, b) => b.split('/').length - a.split('/').length);
}

/** What becomes of a file. `unknown`: what it held is not known. `changed`: something else changed it too. */
export type Return = 'put back' | 'removed' | 'as before' | 'changed' | 'unknown';

/** `current`: SHA-256 of what it holds; null: there is no file. `force`: also over what something else changed. */
export function returnOf({ back, now }: WayBack, current: string | null, force: boolean): Return {
  if (back === undefined) return 'unknown';
  if (back === current) return 'as before';
  if (current !== now && !force) return 'changed';
  return back === null ? 'removed' : 'put back';
}
