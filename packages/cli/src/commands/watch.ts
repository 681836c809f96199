/** `zerd watch`: draws a session as lines, from its beginning; any number of watchers see the same events. */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import { type Context, defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { jsonLine } from '../present/json-line.ts';
import { paint } from '../present/paint.ts';
import { emptyProgress, progress } from '../present/progress.ts';
import { type EventNotice, type Feed, follow } from '../session/follow.ts';
import { asSessionId, sessionComplaint } from '../session/session-id.ts';
import { coloursOutput, type Terminal } from '../terminal.ts';

export const watchCommand = defineCommand({
  name: 'watch',
  usage: 'watch <session>',
  says: 'Follows a session from its beginning, until Ctrl-C',
  positionals: { session: { type: 'string', demandOption: true, describe: 'The session (ses_...)' } },
  options: ['until-idle', 'json'],
  examples: [
    ['zerd watch ses_...', 'What happened, then what happens'],
    ['zerd watch ses_... --json --until-idle', 'Every event as JSON; ends when no turn runs'],
  ],
  complaint: ({ session }) => sessionComplaint(session),
  async perform(args, context) {
    const draw =
      args.json === true ? (notice: EventNotice) => context.terminal.out(jsonLine(notice)) : drawer(context.terminal);
    const end = await watch(args.session, args['until-idle'] === true, context, draw);
    if (end === 'stopped')
      context.terminal.err('The daemon was stopped: nothing more happens here until the next command.\n');
    return exitCode.done;
  },
});

type WatchEnd = 'idle' | 'unread' | 'stopped';

/** Settles when the session is idle after the replay (if `untilIdle`), nobody reads any more, or the daemon was stopped. */
async function watch(
  session: string,
  untilIdle: boolean,
  context: Context,
  draw: (notice: EventNotice) => void,
): Promise<WatchEnd> {
  const client = await context.connect('daemon');
  const { clock, terminal } = context;
  const open = new Set<TurnId>();
  let synced = false;
  let feed: Feed | undefined;
  // A daemon ends in order only when no turn runs; it is not started again merely to be watched.
  const reconnect = () => context.connect(open.size > 0 ? 'daemon' : 'never');
  try {
    return await new Promise<WatchEnd>((resolve, reject) => {
      const endIfIdle = () => untilIdle && synced && open.size === 0 && resolve('idle');
      terminal.outputGone.addEventListener('abort', () => resolve('unread'));
      follow(
        { client, reconnect, clock, sessionId: asSessionId(session), after: 0 },
        {
          event(notice) {
            draw(notice);
            count(open, notice.event);
            endIfIdle();
          },
          synced() {
            synced = true;
            endIfIdle();
          },
          lost: (error) => (open.size === 0 && isAbsent(error) ? resolve('stopped') : reject(error)),
        },
      ).then((opened) => {
        feed = opened;
      }, reject);
    });
  } finally {
    (feed ?? client).close();
  }
}

function isAbsent(error: unknown): boolean {
  return isZerdError(error) && error.code === 'daemon_unavailable';
}

function count(open: Set<TurnId>, event: SessionEvent): void {
  if (event.kind === 'turn.started') open.add(event.turnId);
  if (event.kind === 'turn.finished') open.delete(event.turnId);
}

function drawer(terminal: Terminal): (notice: EventNotice) => void {
  let known = emptyProgress;
  return (notice) => {
    const [next, lines] = progress(known, notice, 'watch');
    known = next;
    for (const line of lines) terminal.out(paint(line, coloursOutput(terminal)));
  };
}
