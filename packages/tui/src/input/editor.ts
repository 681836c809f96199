/**
 * The text that is being written: a pure function of keys. Invariants: the cursor stands between characters as they are
 * seen; what was written and not sent is never lost (it comes back when history is left); a paste inserts and never sends.
 */
import type { Key } from '../screen/port.ts';
import { clusters } from '../text/clusters.ts';

export interface Editor {
  readonly text: string;
  /** UTF-16 units from the beginning. */
  readonly cursor: number;
  /** What was said before, oldest first. */
  readonly history: readonly string[];
  /** Which of it is shown; undefined: what is being written. */
  readonly at: number | undefined;
  /** What was being written when history was entered. */
  readonly draft: string;
  /** What was cut last, to be put back. */
  readonly cut: string;
  /** Earlier texts, to be taken back. */
  readonly before: readonly { readonly text: string; readonly cursor: number }[];
}

export const emptyEditor: Editor = { text: '', cursor: 0, history: [], at: undefined, draft: '', cut: '', before: [] };

const mostUndone = 200;
/** Of a text of megabytes fewer states are kept. */
const mostUndoneCharacters = 20_000_000;
const mostHistory = 500;

export function setText(editor: Editor, text: string, cursor = text.length): Editor {
  if (text === editor.text) return { ...editor, cursor };
  const kept = Math.min(mostUndone, Math.ceil(mostUndoneCharacters / (editor.text.length + 1)));
  const before = [...editor.before, { text: editor.text, cursor: editor.cursor }].slice(-kept);
  return { ...editor, text, cursor, before };
}

export function insert(editor: Editor, text: string): Editor {
  const { text: whole, cursor } = editor;
  return setText(editor, whole.slice(0, cursor) + text + whole.slice(cursor), cursor + text.length);
}

/** What was said in a session that is opened can be said again; it is newer than what was said elsewhere. */
export function remembering(editor: Editor, said: readonly string[]): Editor {
  if (said.length === 0) return editor;
  const kept = [...editor.history, ...said].filter((text, index, all) => text !== all[index - 1]);
  // Whoever looks through it goes on from the draft.
  const { text, cursor, at, draft, ...rest } = editor;
  const now = at === undefined ? { text, cursor, draft } : { text: draft, cursor: draft.length, draft: '' };
  return { ...rest, ...now, at: undefined, history: kept.slice(-mostHistory) };
}

/** After what was written has been sent. */
export function sent({ history }: Editor, text: string): Editor {
  const kept = history.at(-1) === text ? history : [...history, text];
  return { ...emptyEditor, history: kept.slice(-mostHistory) };
}

/** Undefined: the key is not the editor's. */
export function press(editor: Editor, key: Key): Editor | undefined {
  const action = actions[`${key.ctrl ? 'C-' : ''}${key.alt ? 'M-' : ''}${key.name}`];
  if (action !== undefined) return action(editor);
  return key.text !== '' && !key.ctrl && !key.alt ? insert(editor, key.text) : undefined;
}

type Action = (editor: Editor) => Editor | undefined;

const actions: Readonly<Record<string, Action>> = {
  left: (editor) => moveTo(editor, previous(editor.text, editor.cursor)),
  right: (editor) => moveTo(editor, following(editor.text, editor.cursor)),
  'C-b': (editor) => moveTo(editor, previous(editor.text, editor.cursor)),
  'C-f': (editor) => moveTo(editor, following(editor.text, editor.cursor)),
  'C-left': (editor) => moveTo(editor, wordBefore(editor)),
  'C-right': (editor) => moveTo(editor, wordAfter(editor)),
  'M-left': (editor) => moveTo(editor, wordBefore(editor)),
  'M-right': (editor) => moveTo(editor, wordAfter(editor)),
  'M-b': (editor) => moveTo(editor, wordBefore(editor)),
  'M-f': (editor) => moveTo(editor, wordAfter(editor)),
  home: (editor) => moveTo(editor, lineStart(editor)),
  end: (editor) => moveTo(editor, lineEnd(editor)),
  'C-a': (editor) => moveTo(editor, lineStart(editor)),
  'C-e': (editor) => moveTo(editor, lineEnd(editor)),
  up: (editor) => lineAbove(editor) ?? older(editor),
  down: (editor) => lineBelow(editor) ?? newer(editor),
  'C-p': older,
  'C-n': newer,
  backspace: (editor) => remove(editor, previous(editor.text, editor.cursor), editor.cursor),
  'C-h': (editor) => remove(editor, previous(editor.text, editor.cursor), editor.cursor),
  delete: (editor) => remove(editor, editor.cursor, following(editor.text, editor.cursor)),
  'C-w': (editor) => cutOut(editor, wordBefore(editor), editor.cursor),
  'M-backspace': (editor) => cutOut(editor, wordBefore(editor), editor.cursor),
  'M-d': (editor) => cutOut(editor, editor.cursor, wordAfter(editor)),
  'C-u': (editor) => cutOut(editor, lineStart(editor), editor.cursor),
  'C-k': (editor) => cutOut(editor, editor.cursor, restOfLine(editor)),
  'C-y': (editor) => insert(editor, editor.cut),
  'C-z': undo,
  'C-_': undo,
  'C-j': (editor) => insert(editor, '\n'),
  'M-enter': (editor) => insert(editor, '\n'),
};

function moveTo(editor: Editor, cursor: number): Editor {
  return { ...editor, cursor };
}

function remove(editor: Editor, from: number, to: number): Editor {
  return setText(editor, editor.text.slice(0, from) + editor.text.slice(to), from);
}

function cutOut(editor: Editor, from: number, to: number): Editor {
  return from === to ? editor : { ...remove(editor, from, to), cut: editor.text.slice(from, to) };
}

function undo({ before, ...editor }: Editor): Editor {
  const last = before.at(-1);
  return last === undefined ? { ...editor, before } : { ...editor, ...last, before: before.slice(0, -1) };
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function previous(text: string, cursor: number): number {
  const window = text.slice(Math.max(0, cursor - 64), cursor);
  const last = [...segmenter.segment(window)].at(-1);
  return last === undefined ? 0 : cursor - last.segment.length;
}

function following(text: string, cursor: number): number {
  const [first] = segmenter.segment(text.slice(cursor, cursor + 64));
  return cursor + (first?.segment.length ?? 0);
}

/** The search for where a word begins takes the square of this. */
const longestWord = 1_000;

function wordBefore({ text, cursor }: Editor): number {
  const before = text.slice(0, cursor).trimEnd();
  const from = Math.max(0, before.length - longestWord);
  const [word = ''] = /(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)$/u.exec(before.slice(from)) ?? [];
  return before.length - word.length;
}

function wordAfter({ text, cursor }: Editor): number {
  const [found = ''] = /^\s*(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?/u.exec(text.slice(cursor)) ?? [];
  return cursor + found.length;
}

function lineStart({ text, cursor }: Editor): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: Editor): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

/** At the end of a line its break goes. */
function restOfLine(editor: Editor): number {
  const end = lineEnd(editor);
  return end === editor.cursor ? Math.min(editor.text.length, end + 1) : end;
}

function lineAbove(editor: Editor): Editor | undefined {
  const start = lineStart(editor);
  if (start === 0) return undefined;
  const above = lineStart({ ...editor, cursor: start - 1 });
  return moveTo(editor, columnIn(editor, above, start - 1, start));
}

function lineBelow(editor: Editor): Editor | undefined {
  const end = lineEnd(editor);
  if (end === editor.text.length) return undefined;
  const below = end + 1;
  return moveTo(editor, columnIn(editor, below, lineEnd({ ...editor, cursor: below }), lineStart(editor)));
}

/** The place in the line from `from` to `to` below or above the cursor, whose own line begins at `start`. */
function columnIn({ text, cursor }: Editor, from: number, to: number, start: number): number {
  let columns = 0;
  for (const cluster of clusters(text.slice(start, cursor))) columns += cluster.columns;
  let at = from;
  for (const { segment } of segmenter.segment(text.slice(from, to))) {
    for (const cluster of clusters(segment)) columns -= cluster.columns;
    if (columns < 0) break;
    at += segment.length;
  }
  return at;
}

function older(editor: Editor): Editor {
  const at = (editor.at ?? editor.history.length) - 1;
  const text = editor.history[at];
  if (text === undefined) return editor;
  const draft = editor.at === undefined ? editor.text : editor.draft;
  return { ...editor, text, cursor: text.length, at, draft };
}

function newer(editor: Editor): Editor {
  if (editor.at === undefined) return editor;
  const text = editor.history[editor.at + 1];
  if (text === undefined) return { ...editor, text: editor.draft, cursor: editor.draft.length, at: undefined };
  return { ...editor, text, cursor: text.length, at: editor.at + 1 };
}
