/**
 * Finds the lines of an archived body that match, with ripgrep's linear-time expressions. The body streams through
 * without its control sequences: a pattern is made from what was shown. Invariant: every match is counted, and the lines
 * given fit the budget.
 */
import { createReadStream } from 'node:fs';
import { pipeline, Transform } from 'node:stream';
import { clipAround } from '@zerd/core/context/admit/clip-line';
import { stripSequences } from '@zerd/core/context/admit/terminal';
import { utf8Length } from '@zerd/core/text/utf8';
import { ZerdError } from '@zerd/protocol/common/errors';
import { createMessageLines } from '../../processes/message-lines.ts';
import { runRipgrep } from '../../processes/ripgrep.ts';
import { isMatchMessage, type RipgrepLine, readGiant, readMessage } from '../../processes/ripgrep-messages.ts';
import type { BodyRange } from './read-range.ts';

export interface MatchingLines {
  /** `12: text`, clipped around the match. */
  readonly lines: readonly string[];
  /** Matches from the range's first line on. */
  readonly total: number;
  /** Number of the last line given. */
  readonly last: number | undefined;
}

const lineBytes = 500;

export async function grepBody(range: BodyRange, pattern: string): Promise<MatchingLines> {
  const lines: string[] = [];
  let total = 0;
  let last: number | undefined;
  let left = range.bytes - 150;
  let full = false;

  function take(found: RipgrepLine): void {
    if (found.line < range.from) return;
    total += 1;
    if (full || lines.length >= range.limit) return;
    const shown = `${found.line}: ${clipAround(windowOf(found), lineBytes)}`;
    left -= utf8Length(shown) + 1;
    full = left < 0;
    if (full) return;
    lines.push(shown);
    last = found.line;
  }

  await eachMatch(range, pattern, take);
  return { lines, total, last };
}

function windowOf({ text, column = 0, cutBefore = 0, cutAfter = 0 }: RipgrepLine) {
  return { text, column, cutBefore, cutAfter };
}

async function eachMatch(
  { file, signal }: BodyRange,
  pattern: string,
  take: (line: RipgrepLine) => void,
): Promise<void> {
  const read = (message: ReturnType<typeof readMessage>) => {
    const first = message?.kind === 'lines' ? message.lines[0] : undefined;
    if (first !== undefined) take(first);
  };
  const feed = createMessageLines({
    line: (json) => isMatchMessage(json) && read(readMessage(json)),
    giant: (_, facts) => read(readGiant(facts)),
  });
  const onOutput = (chunk: Buffer): 'go' => {
    feed(chunk);
    return 'go';
  };
  // A failing read destroys the input with its error, which ends the run.
  const input = pipeline(createReadStream(file), withoutSequences(), () => {});
  const args = ['--json', '--text', '--regexp', pattern, '--', '-'];
  const end = await runRipgrep({ args, cwd: '/', signal, onOutput, input });
  if (end.code === 2) throw refusal(end.stderr);
}

/** Works on latin1, in which every byte is a character of its own; sequences are ASCII. */
function withoutSequences(): Transform {
  let held = '';
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = held + chunk.toString('latin1');
      const cut = safeEnd(text);
      held = text.slice(cut);
      done(null, Buffer.from(stripAscii(text.slice(0, cut)), 'latin1'));
    },
    flush(done) {
      done(null, Buffer.from(stripAscii(held), 'latin1'));
    },
  });
}

/** A sequence may go on in the next chunk: what follows a late escape waits. */
function safeEnd(text: string): number {
  const start = text.lastIndexOf('\x1b');
  return start >= 0 && text.length - start < 256 ? start : text.length;
}

function stripAscii(text: string): string {
  return text.includes('\x1b') ? stripSequences(text) : text;
}

function refusal(stderr: string): ZerdError {
  const why = /^error: (.+)$/m.exec(stderr)?.[1] ?? stderr.trim().split('\n')[0] ?? '';
  return new ZerdError(
    'invalid_params',
    `The pattern was not accepted: ${why}. The syntax is that of Rust regular expressions, without look-around.`,
  );
}
