/**
 * `zerd drive`: a script holds a conversation: what it wants comes on standard input, what happens goes to standard output,
 * a line of JSON each. Invariant: a line that is not understood, or refused, is answered with a line and ends nothing.
 */
import { type ErrorCode, errorTable, isZerdError } from '@zerd/protocol/common/errors';
import { safeJson } from '@zerd/protocol/common/sanitise';
import { type Feed, follow } from '@zerd/protocol/node/follow';
import { type Context, defineCommand } from '../command.ts';
import { exitCode, exitCodeOfOutcome } from '../exit-code.ts';
import { given } from '../given.ts';
import type { OptionValues } from '../options.ts';
import { deltaLine, jsonLine, pendingLine } from '../present/json-line.ts';
import { type Conversation, createConversation, type Rest, whyPaused } from '../session/conversation.ts';
import { driveWords, readDriveLine } from '../session/drive-input.ts';
import { tellJobs } from '../session/left-running.ts';
import { type OpenSession, openSession } from '../session/open-session.ts';
import { removeUnused } from '../session/remove-unused.ts';
import { sessionComplaint } from '../session/session-id.ts';

const optionNames = ['model', 'mode', 'trust', 'session', 'continue', 'max-requests', 'deltas', 'no-daemon'] as const;
type DriveArguments = OptionValues<(typeof optionNames)[number]>;

export const driveCommand = defineCommand({
  name: 'drive',
  usage: 'drive',
  says: 'Lets a script hold a conversation: JSON lines in, the events as JSON lines out',
  positionals: {},
  options: optionNames,
  examples: [
    [`echo '{"say":"Summarise README.md."}' | zerd drive --mode read-only`, 'One turn; every event as a line'],
    ['zerd drive --session ses_... < wishes.jsonl', 'Goes on in a session'],
  ],
  epilogue: [
    'Each line of standard input is one of:',
    ...Object.values(driveWords).map((says) => `  ${says}`),
    'A line that is refused is answered with {"error":{"code","message","todo"},"line":N}.',
    'When the input has ended, it ends as soon as nothing runs or waits; what is asked then ends it with 4.',
  ].join('\n'),
  complaint(args) {
    const limit = args['max-requests'];
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
      return '--max-requests takes a whole number from 1.';
    if (args.session !== undefined && args.continue) return 'Use one of --session and --continue.';
    return sessionComplaint(args.session);
  },
  perform: drive,
});

async function drive(args: DriveArguments, context: Context): Promise<number> {
  const { terminal, clock } = context;
  const reconnect = () => context.connect(args['no-daemon'] ? 'private' : 'daemon');
  const client = await reconnect();
  let feed: Feed | undefined;
  let startedJob = false;
  try {
    const session = await openSession(client, args);
    const { 'max-requests': maxRequests, model, trust } = args;
    // Made before the first event: `request` is called when the feed stands.
    const request: Feed['request'] = (method, params) => (feed ?? client).request(method, params);
    const own = createConversation({ feed: { request }, ...session, turns: given({ maxRequests, model, trust }) });
    feed = await follow(
      { client, reconnect, clock, ...session },
      {
        event(notice) {
          terminal.out(jsonLine(notice));
          startedJob ||= notice.event.kind === 'job.started';
          own.observe(notice);
        },
        pending(notice) {
          terminal.out(pendingLine(notice));
          own.stir();
        },
        ...(args.deltas === true ? { delta: (notice) => terminal.out(deltaLine(notice)) } : {}),
        lost: (error) => own.lose(error),
      },
    );
    const code = await hold(own, session, context);
    if (await removeUnused({ request }, session)) terminal.err(`Nothing was said: ${session.sessionId} was removed.\n`);
    if (startedJob) await tellJobs(reconnect, session.sessionId, false, context);
    return code;
  } finally {
    feed?.close();
    client.close();
  }
}

/** From the first line of the input until nothing more happens. */
async function hold(conversation: Conversation, session: OpenSession, context: Context): Promise<number> {
  const { terminal } = context;
  const stopped = new AbortController();
  const unread = new Promise<'unread'>((resolve) => {
    terminal.outputGone.addEventListener('abort', () => resolve('unread'), { once: true });
  });
  const interrupts = terminal.onInterrupt(() => {
    if (stopped.signal.aborted) return terminal.exit(exitCode.interrupted);
    stopped.abort();
    conversation.perform({ kind: 'interrupt' }).catch((error: unknown) => refuse(error, undefined, context));
  });
  try {
    const refused = await Promise.race([obey(conversation, stopped.signal, context), unread]);
    const rest = refused === 'unread' ? refused : await Promise.race([conversation.rest(), unread]);
    if (rest === 'unread' || refused === 'unread') return exitCode.done;
    tellRest(rest, session, conversation, context);
    if (stopped.signal.aborted) return exitCode.interrupted;
    return statusOf(rest, conversation, refused);
  } finally {
    interrupts[Symbol.dispose]();
  }
}

/** Does what the lines say, one after the other; settles with the status of the first that could not be done. */
async function obey(conversation: Conversation, stopped: AbortSignal, context: Context): Promise<number> {
  let status: number = exitCode.done;
  for (let line = 1; ; line++) {
    const text = await context.terminal.readLine(stopped);
    if (text === undefined) return status;
    if (text.trim() === '') continue;
    const wish = readDriveLine(text);
    if (typeof wish === 'string') {
      tellError({ code: 'invalid_params', message: wish, todo: ownHelp }, line, context);
      status ||= exitCode.usage;
      continue;
    }
    try {
      await conversation.perform(wish);
    } catch (error) {
      refuse(error, line, context);
      status ||= exitCode.failed;
    }
  }
}

function refuse(error: unknown, line: number | undefined, context: Context): void {
  if (!isZerdError(error)) throw error;
  const { code, message } = error;
  tellError({ code, message, todo: code === 'invalid_params' ? ownHelp : errorTable[code].todo }, line, context);
}

const ownHelp = 'See `zerd drive --help`.';

interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly todo: string;
}

function tellError(error: Refusal, line: number | undefined, { terminal }: Context): void {
  terminal.out(`${safeJson({ error, ...given({ line }) })}\n`);
}

function tellRest(
  rest: Rest,
  { sessionId }: OpenSession,
  { needs }: Pick<Conversation, 'needs'>,
  { terminal }: Context,
): void {
  const goOn = `zerd say --session ${sessionId} --run-next`;
  const says = {
    quiet: '',
    asks: `${sessionId} asks for an answer, and the input has ended. It waits: see zerd answer --session ${sessionId}\n`,
    paused: `Prompts wait in ${sessionId}. ${whyPaused(needs, goOn)}\n`,
  };
  terminal.err(says[rest]);
}

function statusOf(rest: Rest, { outcome }: Conversation, refused: number): number {
  if (rest === 'asks') return exitCode.needsAnswer;
  const ended = outcome === undefined ? exitCode.done : exitCodeOfOutcome(outcome);
  return ended === exitCode.done ? refused : ended;
}
