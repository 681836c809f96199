/**
 * Does: changes what a session keeps in mind, and keeps it as a file that the user may change by hand. Invariants: the
 * log is committed before the file is written, and holds when that fails; a change made by hand is taken into the log
 * before anything else changes; a file that zerd itself wrote is never taken for one.
 */
import { createHash } from 'node:crypto';
import { changeMemory, type MemoryChange, tooLongText } from '@zerd/core/memory/change-memory';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import { type KeptNotes, noteSections, notesMarkdown, parseNotesMarkdown } from '@zerd/protocol/common/notes-markdown';
import type { Log } from '../base/log.ts';
import type { Store } from '../base/ports.ts';
import { inTurn } from '../files/in-turn.ts';
import type { Book } from './book.ts';

export interface MemoryParts {
  readonly store: Pick<Store, 'notesFiles'>;
  readonly book: Book;
  readonly log: Log;
}

export interface MemoryWish {
  readonly change: MemoryChange;
  readonly by: 'model' | 'user';
  readonly turnId?: TurnId;
}

/** Takes in what the user changed by hand. Rejects with invalid_params (it is too long) and unknown_session. */
export function readMemory(parts: MemoryParts, sessionId: SessionId): Promise<KeptNotes> {
  return inTurn(parts.store.notesFiles.place(sessionId), () => takeHandEdits(parts, sessionId));
}

/** Settles when the change is committed. Rejects as `readMemory`: then nothing changed. */
export function keepMemory(parts: MemoryParts, sessionId: SessionId, wish: MemoryWish): Promise<KeptNotes> {
  return inTurn(parts.store.notesFiles.place(sessionId), async () => {
    await takeHandEdits(parts, sessionId);
    return commit(parts, sessionId, wish);
  });
}

async function takeHandEdits(parts: MemoryParts, sessionId: SessionId): Promise<KeptNotes> {
  const { notesFiles } = parts.store;
  const { notes, todo } = parts.book.state(sessionId).memory;
  const text = await notesFiles.read(sessionId);
  const known = fileText({ notes, todo });
  if (text === known || (text === undefined && isEmpty({ notes, todo }))) return { notes, todo };
  // Missing, or left behind by a crash between the commit and the file.
  if (text === undefined || isOwn(text)) await writeFile(parts, sessionId, { notes, todo });
  if (text === undefined || isOwn(text)) return { notes, todo };
  const found = parseNotesMarkdown(withoutMark(text));
  const sections = Object.fromEntries(noteSections.map((name) => [name, found.notes[name] ?? '']));
  return commit(parts, sessionId, { change: { notes: sections, todo: found.todo }, by: 'user' });
}

async function commit(parts: MemoryParts, sessionId: SessionId, wish: MemoryWish): Promise<KeptNotes> {
  const { change, by, turnId } = wish;
  const changed = changeMemory(parts.book.state(sessionId).memory, change);
  if (changed.kind === 'tooLong') throw new ZerdError('invalid_params', tooLong(parts, sessionId, changed, by));
  const { notes, todo } = changed;
  const whose = { by, ...(turnId === undefined ? {} : { turnId }) };
  const events: readonly SessionEvent[] = [
    ...(notes === undefined ? [] : [{ kind: 'notes.changed' as const, ...whose, notes }]),
    ...(todo === undefined ? [] : [{ kind: 'todo.changed' as const, ...whose, list: todo }]),
  ];
  if (events.length > 0) await parts.book.append(sessionId, events);
  const { memory } = parts.book.state(sessionId);
  const kept = { notes: memory.notes, todo: memory.todo };
  await writeFile(parts, sessionId, kept);
  return kept;
}

type TooLong = Extract<ReturnType<typeof changeMemory>, { kind: 'tooLong' }>;

function tooLong({ store }: MemoryParts, sessionId: SessionId, changed: TooLong, by: MemoryWish['by']): string {
  return by === 'model'
    ? tooLongText(changed)
    : `${tooLongText(changed)} Their file: ${store.notesFiles.place(sessionId)}`;
}

/** The log holds it: a file that cannot be written is said and no more. */
async function writeFile({ store, log }: MemoryParts, sessionId: SessionId, kept: KeptNotes): Promise<void> {
  try {
    await store.notesFiles.write(sessionId, fileText(kept));
  } catch (error) {
    log.warn('the file of the notes could not be written', { error, sessionId });
  }
}

function isEmpty({ notes, todo }: KeptNotes): boolean {
  return todo === '' && noteSections.every((name) => (notes[name] ?? '') === '');
}

/** Its last line names the text above it: where that fits no more, somebody changed it. */
function fileText(kept: KeptNotes): string {
  const text = notesMarkdown(kept);
  return `${text}\n${markOf(text)}\n`;
}

function markOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `<!-- zerd ${hash}: change what is above, it is taken over with the next turn -->`;
}

const markPattern = /\n*<!-- zerd [0-9a-f]{12}: [^\n]*-->\s*$/;

function withoutMark(text: string): string {
  return text.replace(markPattern, '\n');
}

function isOwn(text: string): boolean {
  const above = withoutMark(text);
  return text === `${above}\n${markOf(above)}\n`;
}
