/** A real terminal for one program: a pty, and an emulator that keeps what such a terminal would show. */
import type { IPty } from '@lydell/node-pty';
import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';

export interface TerminalWish {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Terminal {
  /** What is on the screen, without spaces at the ends of rows. */
  rows(): readonly string[];
  text(): string;
  /** As the program named it last. */
  title(): string;
  /** Bytes that came so far. */
  bytes(): number;
  type(text: string): void;
  /** Settles when the screen holds it. Rejects after 20 s with the screen. */
  until(what: string | RegExp | ((text: string) => boolean)): Promise<string>;
  resize(columns: number, rows: number): void;
  readonly pid: number;
  readonly exited: Promise<number>;
  kill(signal?: string): void;
  /** For pictures: each cell with its colours. */
  readonly emulator: InstanceType<typeof xterm.Terminal>;
}

export const keys = {
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  up: '\x1b[A',
  down: '\x1b[B',
  pageUp: '\x1b[5~',
  pageDown: '\x1b[6~',
  ctrlC: '\x03',
  ctrlO: '\x0f',
  ctrlT: '\x14',
  altEnter: '\x1b\r',
  paste: (text: string) => `\x1b[200~${text.replaceAll('\n', '\r')}\x1b[201~`,
  wheelUp: '\x1b[<64;10;5M',
  wheelDown: '\x1b[<65;10;5M',
} as const;

const patienceMs = 20_000;

export function openTerminal({ command, cwd, env, columns = 80, rows = 24 }: TerminalWish): Terminal {
  const [file = '', ...args] = command;
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 });
  const child: IPty = pty.spawn(file, args, { cwd, env: { ...env, TERM: 'xterm-256color' }, cols: columns, rows });
  const waiting = new Set<() => void>();
  let bytes = 0;
  let title = '';
  emulator.onTitleChange((next) => {
    title = next;
  });
  child.onData((data) => {
    bytes += Buffer.byteLength(data);
    emulator.write(data, () => {
      for (const look of [...waiting]) look();
    });
  });
  const exited = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));

  const shown = (): readonly string[] => {
    const buffer = emulator.buffer.active;
    return Array.from(
      { length: emulator.rows },
      (_, row) =>
        buffer
          .getLine(buffer.viewportY + row)
          ?.translateToString(true)
          .trimEnd() ?? '',
    );
  };
  const text = () => shown().join('\n');

  return {
    rows: shown,
    text,
    title: () => title,
    bytes: () => bytes,
    type: (typed) => child.write(typed),
    until(what) {
      const holds = (screen: string) =>
        typeof what === 'string'
          ? screen.includes(what)
          : typeof what === 'function'
            ? what(screen)
            : what.test(screen);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`the screen never showed ${String(what)}:\n${text()}`));
        }, patienceMs);
        function look(): void {
          const screen = text();
          if (!holds(screen)) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(screen);
        }
        waiting.add(look);
        look();
      });
    },
    resize(wide, high) {
      emulator.resize(wide, high);
      child.resize(wide, high);
    },
    pid: child.pid,
    exited,
    kill: (signal) => child.kill(signal),
    emulator,
  };
}
