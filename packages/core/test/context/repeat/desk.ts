/** A session at which a reader sits: calls on files that live in memory, through the real admission, fold and decisions. */
import { admit } from '@zerd/core/context/admit/admit';
import { type Caps, defaultCaps } from '@zerd/core/context/admit/caps';
import { readsAfterEdit } from '@zerd/core/context/repeat/after-edit';
import { decideRepeat } from '@zerd/core/context/repeat/decide';
import type { Admission, Decision, ReadFacts } from '@zerd/core/context/repeat/facts';
import { visibleResults } from '@zerd/core/context/visible';
import { foldSession } from '@zerd/core/session/fold';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId } from '@zerd/protocol/common/ids';
import { assistant, created, finished, log, message, turn } from '../../session/events.ts';

export type Answer = Decision & { readonly callId: CallId; readonly text: string };

export interface Wish {
  readonly outcome?: 'ok' | 'failed';
  readonly head?: string | undefined;
  readonly read?: ReadFacts;
}

export function openDesk(caps: Caps = defaultCaps) {
  const events: SessionEvent[] = [created, turn, message('Go')];
  const files = new Map<string, string>();
  const contents = new Map<string, readonly string[]>();
  let calls = 0;

  const state = () => foldSession(log(...events));

  const visible = () => visibleResults(state());

  function trim(callId: string): void {
    const archiveId = 'abcdef012345' as ArchiveId;
    const predicted = { cut: 0, read: 0, kept: 0, rewritten: 0, rent: 0, price: 0, costKept: 0, costTrimmed: 0 };
    events.push({
      ...{ kind: 'context.trimmed', turnId: turn.turnId, reason: 'a test', note: 'Cleared.', predicted },
      ...{
        calls: [callId as CallId],
        inputs: [{ callId: callId as CallId, archiveId }],
        keptFrom: 'req_1' as RequestId,
      },
    });
  }

  /** All so far is replaced by this text. */
  function compact(summary: string): void {
    const usage = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reported: true };
    events.push({
      ...{ kind: 'context.compacted', turnId: turn.turnId, reason: 'a test', throughSeq: state().lastSeq, summary },
      ...{ summaryRequestId: 'req_1' as RequestId, usage, predicted: { prompt: 0, after: 0, facts: 0 } },
    });
  }

  function begin(name: string, input: object): CallId {
    const callId = `c${++calls}` as CallId;
    const call = { kind: 'toolCall', callId, name, inputJson: JSON.stringify(input) } as const;
    events.push(assistant(`req_${calls}`, call));
    return callId;
  }

  function end(callId: CallId, name: string, body: string, { outcome = 'ok', head, read }: Wish = {}): Answer {
    const archiveId = body === '' ? undefined : idOf(body);
    const { inputJson } = visibleCall(callId);
    const given = {
      tool: name,
      failed: outcome !== 'ok',
      body: { kind: 'text', text: body },
      archiveId,
      caps,
    } as const;
    const { shown } = admit(head === undefined ? given : { ...given, head });
    const admission: Admission = {
      ...{ state: state(), visible: visible(), callId, name, inputJson, outcome, shown, head, archiveId, read },
      bases: contents,
      lineCap: caps.line,
    };
    const decision = decideRepeat(admission);
    events.push(finished(callId, { ...decision, outcome, ...(archiveId === undefined ? {} : { archiveId }) }));
    return { ...decision, callId, text: decision.shown };
  }

  function visibleCall(callId: CallId): { readonly inputJson: string } {
    const open = state().openCalls.find((call) => call.callId === callId);
    if (open === undefined) throw new Error(`no call ${callId}`);
    return open;
  }

  function facts(path: string, first: number, rows: readonly string[]): ReadFacts {
    const text = linesOf(files.get(path) ?? '');
    const hash = keep(path);
    return { path, hash, lines: text.length, first, rows, text, archiveId: hash as ArchiveId, foot: undefined };
  }

  function keep(path: string): string {
    const hash = idOf(files.get(path) ?? '');
    contents.set(hash, linesOf(files.get(path) ?? ''));
    return hash;
  }

  return {
    state,
    visible,
    events,
    put: (path: string, text: string) => void files.set(path, text),
    text: (path: string) => files.get(path) ?? '',
    trim,
    compact,
    read(path: string, offset = 1, limit = Number.POSITIVE_INFINITY): Answer {
      const all = linesOf(files.get(path) ?? '');
      const rows = all.slice(offset - 1, offset - 1 + limit);
      const whole = rows.length === all.length;
      const head = whole ? undefined : `${path} lines ${offset}-${offset + rows.length - 1} of ${all.length}`;
      const input = limit === Number.POSITIVE_INFINITY ? { path, offset } : { path, offset, limit };
      const body = rows.map((row) => `${row}\n`).join('');
      return end(begin('read', input), 'read', body, { head, read: facts(path, offset, rows) });
    },
    cat(path: string): Answer {
      const rows = linesOf(files.get(path) ?? '');
      return end(begin('shell', { command: `cat ${path}` }), 'shell', files.get(path) ?? '', {
        read: facts(path, 1, rows),
      });
    },
    shell(command: string, output: string, wish: Wish = {}): Answer {
      return end(begin('shell', { command }), 'shell', output, wish);
    },
    call(name: string, input: object, body: string, wish: Wish = {}): Answer {
      return end(begin(name, input), name, body, wish);
    },
    edit(path: string, old: string, next: string): CallId {
      const callId = begin('edit', { path, old, new: next });
      const before = { hash: keep(path), text: linesOf(files.get(path) ?? '') };
      files.set(
        path,
        (files.get(path) ?? '').replace(old, () => next),
      );
      const after = { hash: keep(path), text: linesOf(files.get(path) ?? '') };
      const reads = readsAfterEdit(
        { state: state(), visible: visible(), callId, bases: contents },
        { path, before, after },
      );
      const written = [{ path, hash: after.hash, how: 'written' as const }];
      events.push(finished(callId, { shown: `${path} edited.`, files: written, reads: [...reads] }));
      return callId;
    },
    write(path: string, content: string): CallId {
      const callId = begin('write', { path, content });
      files.set(path, content);
      const written = [{ path, hash: keep(path), how: 'written' as const }];
      events.push(finished(callId, { shown: `${path} replaced.`, files: written }));
      return callId;
    },
  };
}

export type Desk = ReturnType<typeof openDesk>;

export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Sixteen digits that only this text has, near enough. */
export function idOf(text: string): ArchiveId {
  let [a, b] = [0x811c9dc5, 0x1234567];
  for (let i = 0; i < text.length; i += 1) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193) >>> 0;
    b = (Math.imul(b, 31) + text.charCodeAt(i)) >>> 0;
  }
  return (a.toString(16).padStart(8, '0') + b.toString(16).padStart(8, '0')) as ArchiveId;
}
