/** `zerd watch`: draws sessions as lines, from their beginning; any number of watchers see the same events. */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import { type EventNotice, type Follower, follow, type PendingNotice } from '@zerd/protocol/node/follow';
import { type Context, defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { jsonLine, pendingLine } from '../present/json-line.ts';
import { type Line, paint } from '../present/paint.ts';
import { pendingOf } from '../present/pending.ts';
import { emptyProgress, progress } from '../present/progress.ts';
import { shortIds } from '../present/short-ids.ts';
import { subagentLines } from '../present/subagent-asks.ts';
import { asSessionId, sessionComplaint } from '../session/session-id.ts';
import { coloursOutput, type Terminal } from '../terminal.ts';

export const watchCommand = defineCommand({
  name: 'watch',
  usage: 'watch <session..>',
  says: 'Follows sessions from their beginning, until Ctrl-C',
  positionals: { session: { type: 'string', array: true, demandOption: true, describe: 'Sessions (ses_...)' } },
  options: ['until-idle', 'json'],
  examples: [
    ['zerd watch ses_...', 'What happened, then what happens'],
    ['zerd watch ses_... ses_...', 'Two at once; each line says of which it is'],
    ['zerd watch ses_... --json --until-idle', 'Every event as JSON; ends when no turn runs'],
  ],
  complaint: ({ session }) =>
    session.length === 0 ? 'Name a session.' : session.map(sessionComplaint).find((found) => found !== undefined),
  async perform(args, context) {
    const sessions = [...new Set(args.session)];
    const draw = args.json === true ? jsonDrawer(context.terminal) : drawer(sessions, context.terminal);
    const end = await watch(sessions, args['until-idle'] === true, context, draw);
    if (end === 'stopped')
      context.terminal.err('The daemon was stopped: nothing more happens here until the next command.\n');
    return exitCode.done;
  },
});

type WatchEnd = 'idle' | 'removed' | 'unread' | 'stopped';

/**
 * Settles when all sessions are idle after their replay (if `untilIdle`) or removed, nobody reads any more, or the daemon
 * was stopped. Rejects when one of them is lost. Nothing is left open.
 */
async function watch(
  sessions: readonly string[],
  untilIdle: boolean,
  context: Context,
  draw: Drawer,
): Promise<WatchEnd> {
  const over = new AbortController();
  const open = new Set<TurnId>();
  const behind = new Set(sessions);
  const left = new Set(sessions);
  try {
    return await new Promise<WatchEnd>((resolve, reject) => {
      const endIfIdle = () => untilIdle && behind.size === 0 && open.size === 0 && resolve('idle');
      context.terminal.outputGone.addEventListener('abort', () => resolve('unread'));
      for (const session of sessions) {
        const own = new Set<TurnId>();
        const follower: Follower = {
          event(notice) {
            draw.event(notice);
            count(open, notice.event);
            count(own, notice.event);
            endIfIdle();
          },
          pending: draw.pending,
          synced(snapshot) {
            const { pendingApprovals, pendingQuestions = [] } = snapshot;
            draw.asked({ sessionId: asSessionId(session), pendingApprovals, pendingQuestions });
            behind.delete(session);
            endIfIdle();
          },
          deleted() {
            context.terminal.err(`${session} was removed: nothing more happens there.\n`);
            for (const turnId of own) open.delete(turnId);
            behind.delete(session);
            left.delete(session);
            if (left.size === 0) resolve('removed');
            endIfIdle();
          },
          lost: (error) => (open.size === 0 && isAbsent(error) ? resolve('stopped') : reject(error)),
        };
        followOne(session, open, context, follower, over.signal).catch(reject);
      }
    });
  } finally {
    over.abort();
  }
}

/** Settles when the subscription stands. `over` closes it, whenever it comes. */
async function followOne(
  session: string,
  open: ReadonlySet<TurnId>,
  { connect, clock }: Context,
  follower: Follower,
  over: AbortSignal,
): Promise<void> {
  const closes = (ended: { close(): void }) => {
    over.addEventListener('abort', () => ended.close());
    if (over.aborted) ended.close();
  };
  const client = await connect('daemon');
  closes(client);
  // A daemon ends in order only when no turn runs; it is not started again merely to be watched.
  const reconnect = () => connect(open.size > 0 ? 'daemon' : 'never');
  closes(await follow({ client, reconnect, clock, sessionId: asSessionId(session), after: 0 }, follower));
}

function isAbsent(error: unknown): boolean {
  return isZerdError(error) && error.code === 'daemon_unavailable';
}

function count(open: Set<TurnId>, event: SessionEvent): void {
  if (event.kind === 'turn.started') open.add(event.turnId);
  if (event.kind === 'turn.finished') open.delete(event.turnId);
}

interface Drawer {
  event(notice: EventNotice): void;
  pending(notice: PendingNotice): void;
  /** What was asked before the subscription. */
  asked(notice: PendingNotice): void;
}

/** What is asked as it begins stands in the events, or is a sub-agent's: then a line says so, as at each change. */
function jsonDrawer(terminal: Terminal): Drawer {
  const pending = (notice: PendingNotice) => terminal.out(pendingLine(notice));
  return {
    event: (notice) => terminal.out(jsonLine(notice)),
    pending,
    asked(notice) {
      if (pendingOf(notice.sessionId, notice).some(({ sessionId }) => sessionId !== notice.sessionId)) pending(notice);
    },
  };
}

/** Of several sessions each line begins with the short id of its own. */
function drawer(sessions: readonly string[], terminal: Terminal): Drawer {
  const names = sessions.length > 1 ? shortIds(sessions) : new Map<string, string>();
  const known = new Map<string, typeof emptyProgress>();
  const asked = new Set<string>();
  const draw = (sessionId: string, lines: readonly Line[]) => {
    const name = names.get(sessionId);
    for (const line of lines)
      terminal.out(
        paint(name === undefined ? line : { ...line, text: `${name} ${line.text}` }, coloursOutput(terminal)),
      );
  };
  const pending = (notice: PendingNotice) => draw(notice.sessionId, subagentLines(asked, notice));
  return {
    event(notice) {
      const { sessionId } = notice;
      const [next, lines] = progress(known.get(sessionId) ?? emptyProgress, notice, 'watch');
      known.set(sessionId, next);
      draw(sessionId, lines);
    },
    pending,
    asked: pending,
  };
}
