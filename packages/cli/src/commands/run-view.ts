/**
 * What a run shows: progress on standard error when that is a terminal, the answer (or JSON) on standard output, and
 * why it did not succeed, or that a limit cannot hold, on standard error, always.
 */
import type { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { Wait } from '@zerd/protocol/common/methods';
import { safeJson, sanitise } from '@zerd/protocol/common/sanitise';
import type { Context } from '../command.ts';
import type { OptionValues } from '../options.ts';
import { deltaLine, jsonLine } from '../present/json-line.ts';
import { type Line, paint } from '../present/paint.ts';
import { emptyProgress, progress } from '../present/progress.ts';
import { closingLines, type RunReport, reportJson } from '../present/run-report.ts';
import { addEvent, emptySummary } from '../present/summary.ts';
import type { TurnListener } from '../session/drive-turn.ts';
import { blocksOnce, tellWaits } from '../session/tell-waits.ts';
import { coloursProgress, type Terminal } from '../terminal.ts';

export interface RunView extends TurnListener {
  begin(sessionId: SessionId): void;
  /** Says what is waited for when nothing happens for a while; where nobody watches, only what blocks. */
  tellWaits(waits: () => Promise<readonly Wait[]>): Disposable;
  end(turnId: TurnId): void;
  /** A command of the turn went on in the background. */
  startedJob(): boolean;
  /** For programs that asked for JSON; people hear of it from whoever catches the error. */
  fail(error: ZerdError): void;
}

export function runView(
  args: OptionValues<'json' | 'stream-json' | 'deltas' | 'trust' | 'ask'>,
  context: Context,
): RunView {
  const { terminal, clock } = context;
  const streams = args['stream-json'] === true;
  const showsProgress = terminal.progressIsTerminal && !streams;
  let report: RunReport = { sessionId: null, turnId: null, summary: emptySummary, trustedOnce: args.trust === true };
  let known = emptyProgress;
  let stir = () => {};
  let startedJob = false;
  const tell = (line: Line) => terminal.err(paint(line, coloursProgress(terminal)));
  const show = (line: Line) => showsProgress && tell(line);
  return {
    begin(sessionId) {
      report = { ...report, sessionId };
    },
    event(notice) {
      stir();
      startedJob ||= notice.event.kind === 'job.started';
      if (streams) terminal.out(jsonLine(notice));
      report = { ...report, summary: addEvent(report.summary, notice.event) };
      const [next, lines] = progress(known, notice, 'run');
      known = next;
      // What is asked here is shown where it is answered.
      if (args.ask !== true || notice.event.kind !== 'question.asked') lines.forEach(show);
      // Whoever set the limit relies on it.
      if (notice.event.kind === 'budget.warned' && !showsProgress && !streams)
        tell({ tone: 'warn', text: `zerd: ${notice.event.text}` });
    },
    ...(args.deltas === true ? { delta: (notice) => terminal.out(deltaLine(notice)) } : {}),
    startedJob: () => startedJob,
    note: (text) => show({ tone: 'dim', text }),
    tellWaits(waits) {
      const teller = tellWaits(clock, showsProgress ? waits : blocksOnce(waits), tell);
      stir = teller.stir;
      return teller;
    },
    end(turnId) {
      report = { ...report, turnId };
      if (args.json === true) terminal.out(`${safeJson(reportJson(report))}\n`);
      else if (!streams) tellAnswer(report.summary.text, terminal);
      for (const line of closingLines(report)) tell(line);
    },
    fail({ code, message }) {
      const failure = { code, message };
      if (args.json === true)
        terminal.out(`${safeJson(reportJson({ ...report, summary: { ...report.summary, failure } }))}\n`);
    },
  };
}

function tellAnswer(text: string, terminal: Terminal): void {
  if (text.trim() !== '') terminal.out(`${sanitise(text.trimEnd())}\n`);
}
