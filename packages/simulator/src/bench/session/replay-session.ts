/**
 * Plays a planned session through the real daemon: a turn a prompt, all in one session, against a gateway whose clock
 * jumps over the recorded gaps. Then the log says how each call ended.
 */
import { startGateway } from '../../gateway/start.ts';
import { wireRows } from '../../gateway/wires.ts';
import type { Player, Step } from '../../players/player.ts';
import { summarising } from '../../players/summarising.ts';
import { isObject, type Json, stringOf, type Wire } from '../../wire.ts';
import { sessionEvents, startZerd } from '../daemon-program.ts';
import { configure, withDaemon } from '../drive-zerd.ts';
import { type BenchFolder, makeBenchFolder } from '../private-folder.ts';
import { type PlannedCall, type PlannedSession, planSession } from './plan-session.ts';
import type { RecordedSession } from './recorded.ts';

/** The last line of the bench: exactly these fields. */
export interface SessionFigures {
  readonly bench: 'session';
  readonly id: string;
  readonly calls: number;
  /** Calls that ended otherwise than recorded. */
  readonly failed: number;
  readonly requests: number;
  readonly weighted: number;
  readonly peakTokens: number;
}

export interface Replay {
  readonly figures: SessionFigures;
  /** A line for people for each failed call and turn. */
  readonly complaints: readonly string[];
}

/** A plain cache entry's life on the virtual clock (Anthropic, 2026-11). */
const cacheTtlMs = 300_000;

export async function replaySession(session: RecordedSession, wire: Wire = 'anthropic'): Promise<Replay> {
  const plan = planSession(session);
  const folder = makeBenchFolder(`session-${session.id.replace(/[^\w-]/g, '_')}-${wire}`, plan.files);
  const model = createTurnPlayer();
  const gateway = await startGateway({ player: summarising(model.player), cacheTtlMs });
  try {
    configure(folder, { wire, baseUrl: gateway.origin + (wireRows.find((row) => row.wire === wire)?.basePath ?? '') });
    const { ends, troubles } = await withDaemon(folder, () => playTurns(folder, plan, model.begin));
    const failed = plan.calls.flatMap((call, i) => complaintOf(call, i, ends) ?? []);
    const refused = gateway.requests.flatMap(({ n, refusal }) =>
      refusal === null ? [] : [`request ${n}: ${refusal}`],
    );
    const { requests, weighted, peakTokens } = gateway.weights();
    const figures = { requests, weighted, peakTokens };
    return {
      figures: { bench: 'session', id: session.id, calls: plan.calls.length, failed: failed.length, ...figures },
      complaints: [...troubles, ...refused, ...failed],
    };
  } finally {
    await gateway.close();
    folder.remove();
  }
}

interface TurnPlayer {
  readonly player: Player;
  begin(steps: readonly Step[]): void;
}

/** Plays the steps of the present turn, each once it was delivered whole; a turn that ended early takes no step with it. */
function createTurnPlayer(): TurnPlayer {
  let steps: readonly Step[] = [];
  /** Answers that were delivered before the turn; undefined: it has asked for none yet. */
  let before: number | undefined;
  return {
    player(_view, { delivered }) {
      before ??= delivered;
      return steps[delivered - before] ?? { text: 'Nothing is left to do.' };
    },
    begin(next) {
      before = undefined;
      steps = next;
    },
  };
}

type CallEnd = { readonly outcome: string; readonly shown: string };

interface Played {
  readonly ends: ReadonlyMap<string, CallEnd>;
  /** Turns that did not come to their end. */
  readonly troubles: readonly string[];
}

async function playTurns(folder: BenchFolder, plan: PlannedSession, begin: TurnPlayer['begin']): Promise<Played> {
  const troubles: string[] = [];
  let session: readonly string[] = ['--trust', '--mode', 'full', '--model', 'sim/sim'];
  for (const [i, turn] of plan.turns.entries()) {
    begin(turn.steps);
    const { code, stdout, stderr } = await startZerd(folder, 'zerd', ['run', ...session, '--json', '-'], turn.prompt);
    if (code !== 0) troubles.push(`turn ${i + 1} ended with ${code}: ${stderr.trim().slice(0, 500)}`);
    session = ['--session', sessionIn(stdout), '--trust'];
  }
  return { ends: callEnds(await sessionEvents(folder, session[1] ?? '')), troubles };
}

function sessionIn(stdout: string): string {
  const report: unknown = stdout.trim().startsWith('{') ? JSON.parse(stdout) : undefined;
  if (!isObject(report) || typeof report.sessionId !== 'string') throw new Error(`no session was begun:\n${stdout}`);
  return report.sessionId;
}

function callEnds(events: readonly Json[]): ReadonlyMap<string, CallEnd> {
  const finished = events.filter(({ kind }) => kind === 'toolCall.finished');
  return new Map(
    finished.map(({ callId, outcome, shown }) => [
      stringOf(callId),
      { outcome: stringOf(outcome), shown: stringOf(shown) },
    ]),
  );
}

/** A call that is played by several ends well when all of them do. */
function complaintOf(call: PlannedCall, at: number, ends: ReadonlyMap<string, CallEnd>): string | undefined {
  const found = call.ids.map((id) => ends.get(id));
  const wrong = call.ids.findIndex((_, i) => found[i] === undefined || (found[i]?.outcome !== 'ok') !== call.fails);
  if (wrong === -1) return undefined;
  const end = found[wrong];
  const wished = call.fails ? 'an error' : 'no error';
  const said = end === undefined ? 'it never ran' : `${end.outcome}: ${end.shown.trim().slice(0, 300)}`;
  return `call ${at} (${call.tool}) was recorded as ${wished}, but ${said}`;
}
