/**
 * The daemon's log: JSON lines in one private file, never on stdout. Invariant: its size is bounded (the file and one
 * predecessor), and a log that cannot be written never stops the daemon; what was lost is counted in the next line.
 * Callers pass no secret: neither environments, keys, parameters nor message texts; what comes with an error all the same
 * is taken out before it is written.
 */
import { closeSync, constants, existsSync, fchmodSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { pino } from 'pino';
import { concealSecrets } from './conceal-secrets.ts';

/** Particulars of a line. An error goes under `error` and keeps its stack. */
export type LogFacts = Readonly<Record<string, unknown>>;

export interface Log {
  info(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
  /** These must be in no line from now on. Kept in memory alone. */
  conceal?(secrets: readonly string[]): void;
}

/** A log that keeps nothing. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** Bytes after which a file is set aside as `<file>.1`. */
export const logLimit = 5 * 1024 * 1024;

/** Clients that come again bring the same ones. */
const mostKnown = 500;

/** Opens `<file>` for appending, mode 0600. Throws when it cannot be opened at all. */
export function openLog(file: string, limit = logLimit): Log {
  const known = new Set<string>();
  const rotating = rotatingSink(file, limit);
  const sink = { write: (line: string) => rotating.write(concealSecrets(line, known)) };
  const logger = pino(
    { base: { pid: process.pid }, serializers: { error: pino.stdSerializers.err, err: pino.stdSerializers.err } },
    sink,
  );
  return {
    info: (message, facts = {}) => logger.info(facts, message),
    warn: (message, facts = {}) => logger.warn(facts, message),
    error: (message, facts = {}) => logger.error(facts, message),
    conceal(secrets) {
      for (const secret of secrets) if (known.size < mostKnown) known.add(secret);
    },
  };
}

function rotatingSink(file: string, limit: number): { write(line: string): void } {
  let fd = openPrivate(file);
  let bytes = fstatSync(fd).size;
  let lost = 0;

  function rotate(): void {
    if (existsSync(file)) renameSync(file, `${file}.1`);
    const next = openPrivate(file);
    closeSync(fd);
    fd = next;
    bytes = fstatSync(fd).size;
  }

  return {
    write(line) {
      try {
        if (bytes >= limit) rotate();
        const text = lost > 0 ? `${line.trimEnd().slice(0, -1)},"lostLines":${lost}}\n` : line;
        bytes += writeSync(fd, text);
        lost = 0;
      } catch {
        // A full disk must not end the daemon; the count tells later that lines are missing.
        lost += 1;
      }
    },
  };
}

function openPrivate(file: string): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const fd = openSync(file, flags, 0o600);
  fchmodSync(fd, 0o600);
  return fd;
}
