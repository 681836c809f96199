/** The process as the commands see it: input, two outputs, signals. The only file that touches `process` for them. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { ZerdError } from '@zerd/protocol/common/errors';

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly inputIsTerminal: boolean;
  readonly outputIsTerminal: boolean;
  /** How wide it is; undefined: it is none, or nobody knows. */
  readonly outputColumns: number | undefined;
  readonly progressIsTerminal: boolean;
  /** Rejects with folder_missing when the working folder was deleted. */
  cwd(): string;
  /** All of standard input. */
  readInput(): Promise<string>;
  /** The next line of standard input; undefined: it has ended, or `gone` was aborted. */
  readLine(gone: AbortSignal): Promise<string | undefined>;
  /** A line that is not shown while it is typed; undefined: it was given up. Only where input is a terminal. */
  readSecret(question: string): Promise<string | undefined>;
  /** Bytes go out as they are: only where output is no terminal. */
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** Aborted when nobody reads standard output any more (`zerd watch ... | head`). */
  readonly outputGone: AbortSignal;
  /** Ctrl-C and SIGTERM. Without a listener they end the process. */
  onInterrupt(listener: () => void): Disposable;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Whether to colour what goes to standard error (https://no-color.org: any value that is not empty says no). */
export function coloursProgress(terminal: Terminal): boolean {
  return terminal.progressIsTerminal && plain(terminal);
}

/** The same for standard output. */
export function coloursOutput(terminal: Terminal): boolean {
  return terminal.outputIsTerminal && plain(terminal);
}

function plain({ env }: Terminal): boolean {
  return (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}

export interface SystemTerminal extends Terminal {
  /** Ends the process when both outputs are written. A standard output that could not be (a full disk) is a failure. */
  finish(code: number): void;
}

/** Make it before anything else is loaded: see `workingFolder`. */
export function systemTerminal(): SystemTerminal {
  const folder = workingFolder();
  const gone = new AbortController();
  let lost: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has left (`zerd sessions | head`) has seen what it wanted.
    if (error.code !== 'EPIPE') lost ??= error;
    gone.abort();
  });
  // Progress and complaints are for whoever listens.
  process.stderr.on('error', () => {});
  return {
    env: process.env,
    // Asked late: to look at standard input is to open it.
    get inputIsTerminal() {
      return process.stdin.isTTY === true;
    },
    outputIsTerminal: process.stdout.isTTY === true,
    // One of no size is asked for by programs that run others.
    outputColumns: process.stdout.isTTY === true ? process.stdout.columns || undefined : undefined,
    progressIsTerminal: process.stderr.isTTY === true,
    cwd: () => folder ?? deleted(),
    readInput,
    readLine: lineReader(),
    readSecret,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    outputGone: gone.signal,
    onInterrupt,
    exit: (code) => process.exit(code),
    finish(code) {
      // In a later round of the loop: what a write failed with is told after the write.
      process.stdout.write('', () => setImmediate(() => end(lost === undefined ? code : complain(code, lost))));
    },
  };
}

function end(code: number): void {
  process.stderr.write('', () => process.exit(code));
}

function complain(code: number, { message }: Error): number {
  process.stderr.write(`zerd: What was to be printed could not be: ${message}. What was done is kept.\n`);
  return code === 0 ? 1 : code;
}

/**
 * Undefined when it was deleted. The process then leaves it, for libraries look around where they are loaded: yargs reads
 * settings of its own from a `package.json` above, and no file of a repository has a say in how zerd runs (I7).
 */
function workingFolder(): string | undefined {
  const folder = currentFolder();
  process.chdir('/');
  return folder;
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function deleted(): never {
  throw new ZerdError('folder_missing', 'The working folder was deleted. Nothing was started.');
}

/** Standard input is opened with the first line that is wanted. Lines that come together are kept until they are wanted. */
function lineReader(): Terminal['readLine'] {
  const kept: string[] = [];
  let lines: Interface | undefined;
  let ended = false;
  let wake = () => {};
  const open = () =>
    createInterface({ input: process.stdin, terminal: false })
      .on('line', (line) => {
        kept.push(line);
        wake();
      })
      .once('close', () => {
        ended = true;
        wake();
      });
  return async (gone) => {
    lines ??= open();
    while (kept.length === 0 && !ended && !gone.aborted) {
      lines.resume();
      await new Promise<void>((resolve) => {
        wake = resolve;
        gone.addEventListener('abort', wake, { once: true });
      });
      gone.removeEventListener('abort', wake);
    }
    if (!ended) lines.pause();
    return gone.aborted ? undefined : kept.shift();
  };
}

/** The editor of lines sets the terminal so that it shows nothing, and what it would show itself goes nowhere. */
function readSecret(question: string): Promise<string | undefined> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    let given: string | undefined;
    lines.once('line', (line) => {
      given = line;
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      process.stderr.write('\n');
      resolve(given);
    });
  });
}

async function readInput(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  // Without the byte order mark that some programs put before a text.
  return new TextDecoder().decode(Buffer.concat(parts));
}

function onInterrupt(listener: () => void): Disposable {
  process.on('SIGINT', listener);
  process.on('SIGTERM', listener);
  return {
    [Symbol.dispose]() {
      process.off('SIGINT', listener);
      process.off('SIGTERM', listener);
    },
  };
}
