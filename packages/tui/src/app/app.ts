/**
 * The terminal UI: events of the daemon become frames, keys become requests. It holds no truth: it can vanish at any event
 * and be opened again. Invariants: what a key changes is on the screen at once; a request that fails says so and loses no
 * word of what was written.
 */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { Arguments } from '../arguments.ts';
import { asTyped } from '../input/complete.ts';
import { type Editor, emptyEditor, insert, press, remembering, sent, setText } from '../input/editor.ts';
import type { Input, Key, Screen } from '../screen/port.ts';
import { createTranscript } from '../transcript/blocks.ts';
import { createTranscriptView } from '../transcript/transcript-view.ts';
import { createAsk } from './ask.ts';
import { createCompletions } from './completions.ts';
import type { Desk } from './desk.ts';
import { createFollowedSession } from './followed-session.ts';
import { createGeneralClient } from './general-client.ts';
import { stopText } from './guide.ts';
import { type KeyMeaning, keyMeaning } from './key-meaning.ts';
import { liveItems } from './live-items.ts';
import { createPager, createPicker, type Overlay } from './overlay.ts';
import { type PainterParts, paint } from './painter.ts';
import { linkSession, refusalOf } from './session-link.ts';
import { createTalk } from './talk.ts';
import { createUnanswered } from './unanswered.ts';
import { createWaitsWatch } from './waits-watch.ts';

export interface AppParts {
  readonly screen: Screen;
  readonly connect: () => Promise<ZerdClient>;
  /** Milliseconds of the epoch. */
  readonly now: () => number;
  /** Hands the terminal to the shell (Ctrl-Z) until that lets this program go on. */
  readonly pause: () => void;
  /** Opens an editor on a text; undefined: nothing was changed. */
  readonly edit: (text: string) => Promise<string | undefined>;
  /** What a new session is begun with. */
  readonly begin: Arguments['begin'];
}

export interface App {
  /** Shows a session; undefined: a new one, which begins with the first thing said. */
  open(sessionId: SessionId | undefined): Promise<void>;
  /** A line of the client's own. */
  note(text: string): void;
  leave(): void;
  /** Settles when the user leaves. */
  readonly left: Promise<void>;
  /** What is shown; undefined: nothing has been said yet. */
  readonly sessionId: SessionId | undefined;
  /** Whether a turn of it runs. */
  readonly works: boolean;
}

/** Presses of Ctrl-C within this leave. */
const twiceMs = 1_500;

export function createApp({ screen, connect, now, pause, edit, begin }: AppParts): App {
  const general = createGeneralClient(connect);
  const { client } = general;
  const transcript = createTranscript();
  const view = createTranscriptView(transcript, now);
  const ask = createAsk(now);
  const unanswered = createUnanswered(now);
  const completions = createCompletions({ client, changed: () => draw(true) });
  const waits = createWaitsWatch({ client, changed: () => draw(false) });
  const session = createFollowedSession({
    link: (sessionId, listener) => linkSession(connect, sessionId, listener),
    ...{ client, begin, transcript, view, ask, waits, draw, failed },
    bell: () => screen.bell(),
    recall: (said) => put(remembering(editor, said.map(asTyped))),
  });
  const talk = createTalk({ session, ask, trust: begin.trust === true, desk, write, show, failed });
  let editor = emptyEditor;
  let overlay: Overlay | undefined;
  let stoppedAt = 0;
  let escapedAt = -Infinity;
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const painted: PainterParts = {
    ...{ screen, now, transcript, view, session, ask, completions, waits, unanswered },
    editor: () => editor,
    overlay: () => overlay,
  };

  function draw(atOnce: boolean): void {
    paint(painted, atOnce ? 'once' : 'its time');
  }

  function note(tone: 'dim' | 'warn' | 'bad' | 'good', text: string): void {
    transcript.note(tone, text);
    draw(true);
  }

  function failed(error: unknown): void {
    note('bad', refusalOf(error));
  }

  /** What is told of a wish that waits, or has failed. */
  async function wanted(work: Promise<void>): Promise<void> {
    await unanswered.of(work).catch(failed);
    draw(true);
  }

  async function desk(): Promise<Desk> {
    const { link } = session;
    const feed = link?.feed ?? (await client());
    const { queue, queuePaused, todo } = session.status;
    return {
      feed: { request: (method, params) => feed.request(method, params) },
      sessionId: link?.sessionId,
      columns: screen.size().columns,
      say: note,
      page: (title, lines, wish) => show(createPager(title, () => lines, wish)),
      choose(title, items, pick, refresh) {
        const live = liveItems(items, refresh, () => draw(false));
        show({ ...createPicker({ title, items: live.items, pick }), closed: live.stop });
      },
      open: (id) => session.open(id).catch(failed),
      ...{ blocks: transcript.blocks, diffs: session.diffs, todo, queue, queuePaused },
      write,
      begin: session.begin,
      now,
      edit: (text) => screen.suspend(() => edit(text)),
      copy: screen.copy,
      quit: leave,
    };
  }

  function show(next: Overlay | undefined): void {
    overlay?.closed?.();
    overlay = next;
    draw(true);
  }

  function write(said: string): void {
    const text = asTyped(said);
    editor = setText(editor, editor.text === '' ? text : `${text}\n${editor.text}`);
    draw(true);
  }

  /** What was written comes back when it could not be sent. */
  function submit(queue: boolean): void {
    const before = editor;
    if (before.text.trim() === '') return;
    editor = sent(before, before.text);
    view.toEnd();
    const performed = talk.perform(before.text, queue).catch((error: unknown) => {
      if (editor.text === '') editor = { ...before, history: editor.history };
      throw error;
    });
    void wanted(performed);
  }

  function onInput(input: Input): void {
    if (input.kind === 'key' && input.key.ctrl && input.key.name === 'z') pause();
    else if (overlay !== undefined) {
      const before = overlay;
      // What was chosen may have opened another one.
      if (before.take(input) === 'close' && overlay === before) show(undefined);
    } else if (input.kind === 'paste') editor = insert(editor, input.text);
    else if (input.kind === 'wheel') view.scroll(input.lines);
    else if (input.kind === 'key' && !answers(input)) onKey(input.key);
    completions.update(editor);
    draw(true);
  }

  /** Whether the key is for what is asked. */
  function answers(input: Input): boolean {
    if (!ask.open || editor.text !== '') return false;
    const given = ask.take(input);
    if (typeof given === 'object') void wanted(talk.answer(given));
    return given !== false;
  }

  function onKey(key: Key): void {
    const completed = completions.take(key, editor);
    if (completed === undefined) perform(key);
    else editor = completed;
  }

  function perform(key: Key): void {
    const { turnId, queue } = session.status;
    const waits = queue.length > 0 && session.link !== undefined;
    const works = turnId !== undefined;
    const meaning = keyMeaning(key, { text: editor.text, works, waits, escaped: now() - escapedAt < twiceMs });
    escapedAt = meaning === 'interrupt' && !works ? now() : -Infinity;
    does[meaning](key);
  }

  const does: Readonly<Record<KeyMeaning, (key: Key) => void>> = {
    send: () => submit(false),
    queue: () => submit(true),
    newLine: () => put(insert(editor, '\n')),
    newLineForBackslash: () => put(insert(setText(editor, editor.text.slice(0, -1)), '\n')),
    nextMode: () => void wanted(talk.nextMode()),
    interrupt: () => void wanted(talk.interrupt()),
    goBack: () => void wanted(talk.perform('/rewind', false)),
    takeBack: () => void wanted(talk.takeBackNewest()),
    empty: () => put(setText(editor, '')),
    editor: () => void editInput().catch(failed),
    stop,
    leave: () => leave(),
    other(key) {
      if (!view.take(key, Math.max(1, screen.size().rows - 8))) put(press(editor, key) ?? editor);
    },
  };

  function put(next: Editor): void {
    editor = next;
  }

  /** What is being written, in the person's own editor. */
  async function editInput(): Promise<void> {
    const edited = await screen.suspend(() => edit(editor.text));
    if (edited !== undefined) put(setText(editor, edited.replace(/\n$/, '')));
    draw(true);
  }

  function stop(): void {
    if (now() - stoppedAt < twiceMs) leave();
    else {
      note('dim', stopText(session.status));
      stoppedAt = now();
    }
  }

  screen.onInput(onInput);
  screen.onResize(() => {
    view.layoutAgain();
    draw(true);
  });
  // Clocks on the screen: the cache's, a wait's, a running call's.
  const ticking = setInterval(() => {
    const { turnId, sentAt, jobs } = session.status;
    if (turnId !== undefined || sentAt !== undefined || jobs.length > 0 || unanswered.any) draw(false);
  }, 1_000);
  void left.then(() => {
    clearInterval(ticking);
    overlay?.closed?.();
    session.close();
    general.close();
  });
  return {
    open: session.open,
    note: (text) => note('dim', text),
    leave: () => leave(),
    left,
    get sessionId() {
      return session.link?.sessionId;
    },
    get works() {
      return session.status.turnId !== undefined;
    },
  };
}
