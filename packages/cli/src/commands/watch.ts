/** `zerd watch`: draws a session as lines, from its beginning; any number of watchers see the same events. */
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
    await watch(args.session, args['until-idle'] === true, context, draw);
    return exitCode.done;
  },
});

/** Settles when the session is idle after the replay (if `untilIdle`) or nobody reads any more. */
async function watch(
  session: string,
  untilIdle: boolean,
  context: Context,
  draw: (notice: EventNotice) => void,
): Promise<void> {
  const client = await context.connect('daemon');
  const { clock, terminal } = context;
  const open = new Set<TurnId>();
  let synced = false;
  let feed: Feed | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const endIfIdle = () => untilIdle && synced && open.size === 0 && resolve();
      terminal.outputGone.addEventListener('abort', () => resolve());
      follow(
        { client, reconnect: () => context.connect('daemon'), clock, sessionId: asSessionId(session), after: 0 },
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
          lost: reject,
        },
      ).then((opened) => {
        feed = opened;
      }, reject);
    });
  } finally {
    (feed ?? client).close();
  }
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
