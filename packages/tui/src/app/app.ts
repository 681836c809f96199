/**
 * The terminal UI: events of the daemon become frames, keys become requests. It holds no truth: it can vanish at any event
 * and be opened again. Invariants: what a key changes is on the screen at once; what is busy is said by the daemon's
 * events, never guessed; a request that fails says so and loses no word of what was written.
 */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { Arguments } from '../arguments.ts';
import { commandIn } from '../input/complete.ts';
import { emptyEditor, insert, press, sent, setText } from '../input/editor.ts';
import { coloursLoaded, loadColours } from '../markdown/code.ts';
import type { Input, Screen } from '../screen/port.ts';
import { createTranscript } from '../transcript/blocks.ts';
import { createTranscriptView } from '../transcript/transcript-view.ts';
import { aroundLines } from './around.ts';
import { type Answer, createAsk } from './ask.ts';
import { commandNamed, nextMode } from './commands.ts';
import { createCompletions } from './completions.ts';
import type { Desk } from './desk.ts';
import { dearChoice } from './forecast.ts';
import { composeFrame } from './frame.ts';
import { createGeneralClient } from './general-client.ts';
import { takeBack } from './going-on.ts';
import { liveItems } from './live-items.ts';
import { createPager, createPicker, type Overlay } from './overlay.ts';
import { sayTo } from './say-to.ts';
import { sendAnswer } from './send-answer.ts';
import {
  linkSession,
  nextPending,
  nothingPending,
  type Pending,
  refusalOf,
  type SessionListener,
} from './session-link.ts';
import { createShownSession } from './shown-session.ts';
import { nextStatus, noStatus, type Status } from './status.ts';
import { statusLine, terminalTitle } from './status-line.ts';
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
  const transcript = createTranscript();
  const view = createTranscriptView(transcript, now);
  const ask = createAsk(now);
  let editor = emptyEditor;
  let status: Status = noStatus;
  let pending: Pending = nothingPending;
  let overlay: Overlay | undefined;
  let wishes = begin;
  let window: number | undefined;
  let cacheTtlMs: number | undefined;
  let diffs: string[] = [];
  let interruptedAt = 0;
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const general = createGeneralClient(connect);
  const { client } = general;
  const completions = createCompletions({ client, changed: () => draw(true) });
  const waits = createWaitsWatch({ client, changed: () => draw(false) });
  const unanswered = createUnanswered(now);

  const shown = createShownSession({
    link: (sessionId, listener) => linkSession(connect, sessionId, listener),
    create: async () => (await (await client()).request('session/create', wishes)).sessionId,
    turnTo,
  });

  function draw(now_: boolean): void {
    const size = screen.size();
    const frame = composeFrame(
      {
        transcript: view.lines,
        overlay: overlay && ((columns, rows) => overlay?.lines(columns, rows) ?? []),
        around: (columns) => aroundLines(status, columns, now()),
        ask: ask.lines,
        completions: (columns) => completions.lines(columns),
        input: { text: editor.text, cursor: editor.cursor, hint: hint() },
        status: (columns) => statusLine(status, { window, cacheTtlMs, now: now(), says: says() }, columns),
      },
      size,
    );
    screen.setTitle(terminalTitle(status));
    if (now_) screen.drawNow(frame);
    else screen.draw(frame);
    if (!coloursLoaded() && transcript.blocks.some((block) => block.kind === 'answer' && block.text.includes('```')))
      void loadColours().then(() => {
        view.layoutAgain();
        draw(false);
      });
  }

  function hint(): string {
    if (ask.takesText !== undefined) return 'your answer';
    if (status.turnId !== undefined) return 'say more: Enter steers, Tab queues, Esc interrupts';
    return 'say what to do, / for commands, @ for files';
  }

  function says(): string {
    if (!view.follows) return 'scrolled: Ctrl-End';
    return (
      unanswered.says(now()) ??
      waits.says(now()) ??
      (status.turnId === undefined
        ? '/help'
        : `working ${Math.max(0, Math.round((now() - status.turnStartedAt) / 1000))} s`)
    );
  }

  function note(tone: 'dim' | 'warn' | 'bad' | 'good', text: string): void {
    transcript.note(tone, text);
    draw(true);
  }

  const failed = (error: unknown) => note('bad', refusalOf(error));

  function setPending(next: Pending): void {
    pending = next;
    const before = ask.open;
    ask.set([
      ...pending.approvals.map((approval) => ({ kind: 'approval' as const, id: approval.approvalId, approval })),
      ...pending.questions.map((question) => ({ kind: 'question' as const, id: question.questionId, question })),
    ]);
    if (ask.open && !before) screen.bell();
  }

  async function open(sessionId: SessionId | undefined): Promise<void> {
    await shown.open(sessionId);
    if (sessionId === undefined) return learnModel();
    draw(true);
  }

  function turnTo(sessionId: SessionId | undefined): SessionListener {
    transcript.clear();
    view.layoutAgain();
    view.toEnd();
    status = { ...noStatus, model: wishes.model ?? '', mode: wishes.mode ?? noStatus.mode };
    diffs = [];
    setPending(nothingPending);
    draw(true);
    let replaying = true;
    return {
      event(notice) {
        const { event, at } = notice;
        transcript.event(notice);
        status = nextStatus(status, event, at);
        setPending(nextPending(pending, notice));
        if (event.kind === 'toolCall.finished' && event.diff !== undefined) diffs = [...diffs, event.diff].slice(-200);
        if (event.kind === 'turn.finished' && !replaying) screen.bell();
        if (!replaying) {
          if (event.kind === 'model.changed') void learnModel().catch(failed);
          waits.watch(status.turnId === undefined ? undefined : sessionId);
          draw(false);
        }
      },
      delta(notice) {
        transcript.delta(notice);
        draw(false);
      },
      output(notice) {
        transcript.output(notice);
        draw(false);
      },
      pending({ pendingApprovals, pendingQuestions }) {
        setPending({ approvals: pendingApprovals, questions: pendingQuestions });
        draw(true);
      },
      synced(snapshot) {
        replaying = false;
        status = { ...status, sessionPico: snapshot.session.costPico, unpriced: snapshot.session.unpricedRequests > 0 };
        setPending({ approvals: snapshot.pendingApprovals, questions: snapshot.pendingQuestions ?? [] });
        waits.watch(status.turnId === undefined ? undefined : sessionId);
        void learnModel().catch(failed);
        draw(true);
      },
      lost: (why) => note('bad', `${why} Use /sessions to open one.`),
    };
  }

  /** How large the window is, and how long its provider keeps a prompt. */
  async function learnModel(): Promise<void> {
    const { models, default: usual } = await (await client()).request('model/list', {});
    if (status.model === '') status = { ...status, model: usual ?? '' };
    const model = models.find(({ id }) => id === status.model);
    window = model?.contextWindow ?? undefined;
    cacheTtlMs = model?.cacheMs;
    draw(false);
  }

  /** `asks`: about what is dear. */
  async function say(text: string, queue: boolean, asks = true): Promise<void> {
    const question = ask.takesText;
    if (question !== undefined) return answer({ kind: 'question', question, answer: text });
    const { feed, sessionId } = await shown.orBegun();
    const { turnId } = status;
    const send = () => sayTo(feed, { sessionId, text, turnId, queue, ...(begin.trust ? { trust: true } : {}) });
    if (turnId !== undefined || !asks) return send();
    const sayAnew = () => open(undefined).then(() => say(text, false, false));
    const choice = await dearChoice({ feed, sessionId, text, send, sayAnew, takeBack: () => write(text), failed });
    return choice === undefined ? send() : show(choice);
  }

  async function answer(given: Answer): Promise<void> {
    if (shown.link !== undefined) await sendAnswer(shown.link, given);
  }

  /** What was written comes back when it could not be sent. */
  function submit(queue: boolean): void {
    const { text } = editor;
    if (text.trim() === '') return;
    const before = editor;
    editor = sent(editor, text);
    view.toEnd();
    unanswered.of(perform(text, queue)).catch((error: unknown) => {
      if (editor.text === '') editor = { ...before, history: editor.history };
      failed(error);
    });
    draw(true);
  }

  async function perform(text: string, queue: boolean): Promise<void> {
    const command = commandIn(text);
    if (command === undefined) await say(text.startsWith('//') ? text.slice(1) : text, queue);
    else await runCommand(commandNamed(command.name).run, command.rest);
  }

  async function runCommand(run: (desk: Desk, rest: string) => Promise<void> | void, rest: string): Promise<void> {
    const { link } = shown;
    const feed = link?.feed ?? (await client());
    await run(
      {
        feed: { request: (method, params) => feed.request(method, params) },
        sessionId: link?.sessionId,
        columns: screen.size().columns,
        say: note,
        page: (title, lines) => show(createPager(title, () => lines)),
        choose(title, items, pick, refresh) {
          const live = liveItems(items, refresh, () => draw(false));
          show({ ...createPicker({ title, items: live.items, pick }), closed: live.stop });
        },
        open: (id) => void open(id).catch(failed),
        diffs,
        todo: status.todo,
        queue: status.queue,
        queuePaused: status.queuePaused,
        write,
        begin(wish) {
          wishes = { ...wishes, ...wish };
          status = { ...status, ...wish };
          void learnModel();
        },
        now,
        edit: (text) => screen.suspend(() => edit(text)),
        quit: leave,
      },
      rest,
    );
    draw(true);
  }

  function show(next: Overlay | undefined): void {
    overlay?.closed?.();
    overlay = next;
    draw(true);
  }

  function write(text: string): void {
    editor = setText(editor, editor.text === '' ? text : `${text}\n${editor.text}`);
    draw(true);
  }

  /** The newest prompt that waits comes back into the input. */
  function takeBackNewest(): boolean {
    const newest = status.queue.at(-1);
    const { link } = shown;
    if (newest === undefined || editor.text !== '' || link === undefined) return false;
    takeBack({ feed: link.feed, sessionId: link.sessionId, write }, newest).catch(failed);
    return true;
  }

  function interrupt(): void {
    const { link } = shown;
    if (status.turnId === undefined || link === undefined) return;
    unanswered.of(link.feed.request('turn/interrupt', { sessionId: link.sessionId })).catch(failed);
  }

  function onInput(input: Input): void {
    if (input.kind === 'key' && input.key.ctrl && input.key.name === 'z') pause();
    else if (overlay !== undefined) {
      const before = overlay;
      // What was chosen may have opened another one.
      if (before.take(input) === 'close' && overlay === before) show(undefined);
    } else if (input.kind === 'paste') editor = insert(editor, input.text);
    else if (input.kind === 'wheel') view.scroll(input.lines);
    else if (input.kind === 'key') onKey(input);
    completions.update(editor.text, editor.cursor);
    draw(true);
  }

  function onKey(input: Extract<Input, { kind: 'key' }>): void {
    const { name, ctrl, shift, alt } = input.key;
    if (ask.open && editor.text === '') {
      const given = ask.take(input);
      if (given === true) return;
      if (given !== false) {
        unanswered.of(answer(given)).catch(failed);
        return;
      }
    }
    const completed = completions.take(input.key, editor);
    if (completed !== undefined) {
      editor = completed;
      return;
    }
    const page = Math.max(1, screen.size().rows - 8);
    if (name === 'enter' && !shift && !alt) {
      if (editor.text.endsWith('\\')) editor = insert(setText(editor, editor.text.slice(0, -1)), '\n');
      else submit(false);
    } else if (name === 'enter') editor = insert(editor, '\n');
    else if (name === 'tab' && shift) runCommand((desk) => nextMode(desk, status.mode), '').catch(failed);
    else if (name === 'tab' && status.turnId !== undefined) submit(true);
    else if (name === 'escape') interrupt();
    else if (name === 'up' && !shift && takeBackNewest()) return;
    else if (view.take(input.key, page)) return;
    else if (ctrl && name === 'c') onCtrlC();
    else if (ctrl && name === 'd' && editor.text === '') leave();
    else editor = press(editor, input.key) ?? editor;
  }

  function onCtrlC(): void {
    if (editor.text !== '') editor = setText(editor, '');
    else if (now() - interruptedAt < twiceMs) leave();
    else {
      note('dim', 'Ctrl-C again leaves; what runs goes on.');
      interruptedAt = now();
    }
  }

  screen.onInput(onInput);
  screen.onResize(() => {
    view.layoutAgain();
    draw(true);
  });
  // Clocks on the screen: the cache's, a wait's, a running call's.
  const ticking = setInterval(() => {
    const { turnId, sentAt, jobs } = status;
    if (turnId !== undefined || sentAt !== undefined || jobs.length > 0 || unanswered.any) draw(false);
  }, 1_000);
  void left.then(() => {
    clearInterval(ticking);
    overlay?.closed?.();
    shown.close();
    general.close();
  });
  return {
    open,
    note: (text) => note('dim', text),
    leave: () => leave(),
    left,
    get sessionId() {
      return shown.link?.sessionId;
    },
    get works() {
      return status.turnId !== undefined;
    },
  };
}
