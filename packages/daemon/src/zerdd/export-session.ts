/**
 * `zerdd export`: writes a session of a repository whose daemon cannot run, or whose database was damaged, as far as it
 * can be read (F-36, F-39). Invariant: it takes no lock and changes nothing.
 */
import { type CalledTool, type ExportContext, exportJson, exportMarkdown } from '@zerd/core/session/export';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { CallId, RequestId, SessionId } from '@zerd/protocol/common/ids';
import { databaseName } from '../store/open.ts';
import { databasesIn, openSalvage, type Salvaged } from '../store/salvage.ts';

export interface ExportWish {
  readonly stateFolder: string;
  /** Undefined: the newest that can be found. */
  readonly session: string | undefined;
  readonly format: 'md' | 'json';
  readonly out: (text: string) => void;
  readonly err: (line: string) => void;
}

/** Throws unknown_session. */
export function exportSession({ stateFolder, session, format, out, err }: ExportWish): void {
  const files = databasesIn(stateFolder, databaseName);
  for (const file of files) {
    const found = findIn(file, session, err);
    if (found === undefined) continue;
    err(`read from ${file}, without a daemon`);
    if (found.missing > 0) err(`${found.missing} of its events could not be read and are left out`);
    const write = format === 'json' ? exportJson : markdownOf(found);
    for (const logged of found.events) out(write(logged));
    return;
  }
  const where = files.length === 0 ? `There is no database in ${stateFolder}` : `None of ${files.join(', ')} holds it`;
  throw new ZerdError('unknown_session', `${where}; nothing was written.`);
}

function findIn(file: string, session: string | undefined, err: (line: string) => void): Salvaged | undefined {
  try {
    using salvage = openSalvage(file);
    const sessionId = session === undefined ? salvage.sessions()[0] : (session as SessionId);
    return sessionId && salvage.session(sessionId);
  } catch (error) {
    err(error instanceof Object && 'message' in error ? String(error.message) : String(error));
    return undefined;
  }
}

function markdownOf({ events, summary }: Salvaged) {
  const calls = new Map<CallId, CalledTool>();
  const beside = new Set<RequestId>();
  for (const { event } of events) {
    if (event.kind === 'request.started' && event.purpose !== undefined) beside.add(event.requestId);
    if (event.kind !== 'assistant.finished') continue;
    for (const block of event.content) if (block.kind === 'toolCall') calls.set(block.callId, block);
  }
  const context: ExportContext = { session: summary.row, calls, beside };
  return (logged: Salvaged['events'][number]) => exportMarkdown(logged, context);
}
