/**
 * The terminal, by blessed's `program` alone: it reads plain keys and watches the size; rows are compared and written by
 * this file, since blessed's own widgets draw a scrolled text anew for each line and know nothing of pastes. Invariants:
 * what a key changes is drawn at once; a slow terminal gets fewer frames, never a longer queue; however the program ends,
 * the terminal is left as it was.
 */
import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import program from 'blessed/lib/program.js';
import { columnsOf } from '../text/clusters.ts';
import { lineText } from '../text/style.ts';
import { diffRows } from './diff-rows.ts';
import { encodeRow } from './encode-row.ts';
import type { Frame, Input, Screen, Size } from './port.ts';
import { flushInput, nothingRead, readInput } from './read-input.ts';

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly colours: boolean;
}

/** 30 frames a second: more is not seen. */
const frameMs = 33;
/** A sequence arrives within this, or it was a plain escape. */
const sequenceMs = 30;

const modes = ['?2004', '?1000', '?1006', '?1004'];
// 22;2t and 23;2t: the title of before is kept, and comes back.
const enter = `\x1b[22;2t\x1b[?1049h\x1b[?25l${modes.map((mode) => `\x1b[${mode}h`).join('')}\x1b[>1u\x1b[2J`;
const leave = `\x1b[<u${modes.map((mode) => `\x1b[${mode}l`).join('')}\x1b[?25h\x1b[0m\x1b[?1049l\x1b[23;2t`;
const together = (text: string) => `\x1b[?2026h${text}\x1b[?2026l`;

export function openScreen({ input, output, colours }: Terminal): Screen {
  const keys = new PassThrough();
  const driver = program({ input: keys, output, tput: false, buffer: false });
  const listeners = new Set<(input: Input) => void>();
  const resized = new Set<(size: Size) => void>();
  let shown: readonly string[] = [];
  let cursor: Frame['cursor'] | 'unknown' = 'unknown';
  let pending: Frame | undefined;
  let timer: NodeJS.Timeout | undefined;
  let drawnAt = 0;
  // A character may come in two pieces.
  const decoder = new StringDecoder('utf8');
  let state = nothingRead;
  let sequence: NodeJS.Timeout | undefined;
  let hasFocus = true;
  let suspended = false;
  let title: string | undefined;

  const size = (): Size => ({ columns: output.columns || 80, rows: output.rows || 24 });
  const give = (event: Input) => {
    for (const listener of listeners) listener(event);
  };

  function take(reads: ReturnType<typeof readInput>[1]): void {
    for (const read of reads) {
      if (read.kind === 'rest') keys.write(read.text);
      else if (read.kind === 'focus') hasFocus = read.has;
      else give(read);
    }
  }

  function onData(chunk: Buffer | string): void {
    clearTimeout(sequence);
    const [next, reads] = readInput(state, typeof chunk === 'string' ? chunk : decoder.write(chunk));
    state = next;
    take(reads);
    if (state.held !== '') sequence = setTimeout(onQuiet, sequenceMs);
  }

  function onQuiet(): void {
    const [next, reads] = flushInput(state);
    state = next;
    take(reads);
  }

  driver.on('keypress', (text: string | undefined, key: BlessedKey) => {
    // blessed tells a return twice.
    if (key.name === 'return') return;
    if (key.name === undefined) return give(typed(text, key));
    const named = key.name === 'linefeed' ? { ...key, name: 'j', ctrl: true } : key;
    give({ kind: 'key', key: { name: named.name, text: textOf(text, named), ...flags(named) } });
  });

  function write(frame: Frame): void {
    if (suspended) return;
    const { columns, rows } = size();
    const lines = frame.lines.slice(0, rows);
    const now = lines.map((line) => encoded(line, columns));
    while (now.length < rows) now.push(eraseToEnd);
    const { scroll, rows: changed } = diffRows(shown, now);
    let out = '';
    if (scroll) out += `\x1b[${scroll.top + 1};${scroll.bottom + 1}r\x1b[${scroll.by}S\x1b[r`;
    for (const { row, text } of changed) out += `\x1b[${row + 1};1H${text}`;
    const place = frame.cursor;
    const moves = out !== '' || cursor === 'unknown' || cursor?.row !== place?.row || cursor?.column !== place?.column;
    if (moves) out += place === undefined ? '\x1b[?25l' : `\x1b[${place.row + 1};${place.column + 1}H\x1b[?25h`;
    shown = now;
    cursor = place;
    drawnAt = performance.now();
    if (out !== '') output.write(together(out));
  }

  function encoded(line: Frame['lines'][number], columns: number): string {
    const row = encodeRow(line, colours);
    return columnsOf(lineText(line)) < columns ? row + eraseToEnd : row;
  }

  function flush(): void {
    timer = undefined;
    if (pending === undefined) return;
    // A terminal that has not taken the last frame is asked again later: only the newest is worth its time.
    if (output.writableNeedDrain) later();
    else drawPending(pending);
  }

  function drawPending(frame: Frame): void {
    pending = undefined;
    write(frame);
  }

  function later(): void {
    timer ??= setTimeout(flush, Math.max(0, frameMs - (performance.now() - drawnAt)));
  }

  function begin(): void {
    if (input.isTTY) input.setRawMode(true);
    input.resume();
    output.write(enter);
    if (title !== undefined) output.write(`\x1b]2;${title}\x1b\\`);
    shown = [];
    cursor = 'unknown';
  }

  function end(): void {
    output.write(leave);
    if (input.isTTY) input.setRawMode(false);
    input.pause();
  }

  function onSize(): void {
    shown = [];
    output.write('\x1b[2J');
    for (const listener of resized) listener(size());
  }

  const restore = () => {
    if (!suspended) output.write(leave);
  };
  input.on('data', onData);
  output.on('resize', onSize);
  process.once('exit', restore);
  begin();

  return {
    size,
    onInput: (listener) => added(listeners, listener),
    onResize: (listener) => added(resized, listener),
    draw(frame) {
      pending = frame;
      later();
    },
    drawNow(frame) {
      pending = undefined;
      write(frame);
    },
    bell() {
      if (!hasFocus) output.write('\x07');
    },
    setTitle(next) {
      if (next !== title && !suspended) output.write(`\x1b]2;${next}\x1b\\`);
      title = next;
    },
    copy(text) {
      output.write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`);
    },
    async suspend(during) {
      // Another program has it already.
      if (suspended) return await during();
      end();
      suspended = true;
      try {
        return await during();
      } finally {
        suspended = false;
        begin();
        onSize();
      }
    },
    close() {
      clearTimeout(timer);
      clearTimeout(sequence);
      process.off('exit', restore);
      input.off('data', onData);
      output.off('resize', onSize);
      end();
      driver.removeAllListeners();
      keys.destroy();
    },
  };
}

const eraseToEnd = '\x1b[K';

interface BlessedKey {
  readonly name: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
  readonly sequence?: string;
}

function flags({ ctrl = false, meta = false, shift = false }: BlessedKey) {
  return { ctrl, alt: meta, shift };
}

function textOf(text: string | undefined, { ctrl, meta, name }: BlessedKey): string {
  if (ctrl === true || meta === true || text === undefined || isControl(text)) return name === 'space' ? ' ' : '';
  return text;
}

function isControl(text: string): boolean {
  const code = text.codePointAt(0) ?? 0;
  return code < 32 || code === 127;
}

/** Characters that blessed has no name for: letters beyond ASCII, emoji. */
function typed(text: string | undefined, key: BlessedKey): Input {
  const said = text === undefined || isControl(text) ? '' : text;
  return { kind: 'key', key: { name: said, text: said, ...flags(key) } };
}

function added<T>(set: Set<T>, item: T): Disposable {
  set.add(item);
  return { [Symbol.dispose]: () => void set.delete(item) };
}
