/** `zerd run`: one turn from a prompt to its answer. Never says done without the turn's own `turn.finished`. */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { TurnOutcome } from '@zerd/protocol/common/event';
import type { ParamsOf } from '@zerd/protocol/common/methods';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type Context, defineCommand } from '../command.ts';
import { exitCode, exitCodeOfOutcome } from '../exit-code.ts';
import { given } from '../given.ts';
import type { OptionValues } from '../options.ts';
import { forecastText } from '../present/forecast-text.ts';
import { askHere } from '../session/ask-here.ts';
import { type Drive, driveTurn } from '../session/drive-turn.ts';
import { imagesFrom } from '../session/given-images.ts';
import { tellJobs } from '../session/left-running.ts';
import { onInterrupts } from '../session/on-interrupts.ts';
import { type OpenSession, openSession } from '../session/open-session.ts';
import { sessionComplaint } from '../session/session-id.ts';
import type { Terminal } from '../terminal.ts';
import { limitComplaint, limitNames, limitsOf } from '../turn-limits.ts';
import { readPrompt } from './prompt.ts';
import { type RunView, runView } from './run-view.ts';

const optionNames = [
  'model',
  'mode',
  'trust',
  'session',
  'continue',
  'image',
  ...limitNames,
  'json',
  'stream-json',
  'deltas',
  'no-daemon',
  'wait-jobs',
  'ask',
] as const;
type RunArguments = OptionValues<(typeof optionNames)[number]>;

const promptSays = 'The task; - stands for standard input';

export const runCommand = defineCommand({
  name: 'run',
  usage: 'run [prompt..]',
  says: 'Gives the model a task, shows what it does, prints its answer',
  positionals: { prompt: { type: 'string', array: true, describe: promptSays, defaultDescription: 'standard input' } },
  options: optionNames,
  examples: [
    ['zerd run "why does the build fail?"', 'Asks before it changes or runs anything: stops with exit 4'],
    ['zerd run --mode full "make the tests pass"', 'Works alone'],
    ['zerd run --mode edit --max-requests 20 - < task.md', 'A longer task, with a limit'],
    ['zerd run --mode full --max-cost 0.50 "fix the build"', 'Stops before it has spent more'],
    ['zerd run --continue "and now the docs"', 'Goes on in the newest session'],
    ['zerd run --image shot.png "why is the button cut off?"', 'Shows an image, wherever it is'],
    ['zerd run --ask "tidy up"', 'Asks here what needs your word, and waits'],
    ['zerd run --json "count the TODOs" | jq .text', 'One JSON object at the end'],
  ],
  complaint,
  async perform(args, context) {
    const { terminal } = context;
    if (args.ask === true && !(terminal.inputIsTerminal && terminal.progressIsTerminal)) {
      terminal.err('zerd: --ask needs a terminal to ask in. Nothing was started.\n');
      return exitCode.usage;
    }
    const prompt = await readPrompt(args.prompt, context.terminal);
    if (prompt !== undefined) return await run(prompt, args, context);
    context.terminal.err(
      'zerd: The prompt is empty. Nothing was started.\nSay what to do: zerd run "make the tests pass"\n',
    );
    return exitCode.usage;
  },
});

function complaint(args: RunArguments): string | undefined {
  const limits = limitComplaint(args);
  if (limits !== undefined) return limits;
  if (args.session !== undefined && args.continue) return 'Use one of --session and --continue.';
  if (args.json && args['stream-json']) return 'Use one of --json and --stream-json.';
  if (args.deltas && !args['stream-json']) return '--deltas goes with --stream-json.';
  if (args.ask && (args.json || args['stream-json']))
    return '--ask talks to a person: it goes with neither --json nor --stream-json.';
  return sessionComplaint(args.session);
}

async function run(prompt: string, args: RunArguments, context: Context): Promise<number> {
  const view = runView(args, context);
  try {
    const images = await imagesFrom(args.image, context.terminal.cwd);
    const connect = () => context.connect(args['no-daemon'] ? 'private' : 'daemon');
    const client = await connect();
    try {
      const session = await openSession(client, args);
      view.begin(session.sessionId);
      await tellForecast(client, session, prompt, args, context.terminal);
      const { clock } = context;
      let asked = () => {};
      const drive = driveTurn(
        { client, reconnect: connect, clock, ...session },
        { ...turnStart(prompt, args, session), ...images },
        {
          ...view,
          asked: () => asked(),
        },
      );
      const asks = args.ask === true ? askHere({ ...context, ...session, request: drive.request }) : undefined;
      if (asks) asked = asks.stir;
      const outcome = await seeThrough(drive, view, context).finally(() => asks?.[Symbol.dispose]());
      const wait = args['wait-jobs'] === true;
      if (wait || view.startedJob()) await tellJobs(connect, session.sessionId, wait, context);
      return exitCodeOfOutcome(outcome);
    } finally {
      client.close();
    }
  } catch (error) {
    if (isZerdError(error)) view.fail(error);
    throw error;
  }
}

/** For a person who goes on in a conversation: what the message costs, when that is more than they want to pay unasked. */
async function tellForecast(
  client: ZerdClient,
  { sessionId }: OpenSession,
  text: string,
  args: RunArguments,
  terminal: Terminal,
): Promise<void> {
  const goesOn = args.session !== undefined || args.continue === true;
  if (!goesOn || !terminal.progressIsTerminal || !terminal.inputIsTerminal || args.json || args['stream-json']) return;
  try {
    const seen = await client.request('cost/forecast', { sessionId, text, ...given({ model: args.model }) });
    if (seen.warn) terminal.err(forecastText(sessionId, seen));
  } catch (error) {
    // A daemon of an older build foresees nothing; what else is wrong the turn itself will say.
    if (!isZerdError(error)) throw error;
  }
}

async function seeThrough(drive: Drive, view: RunView, { terminal }: Context): Promise<TurnOutcome> {
  const interrupts = onInterrupts(terminal, drive, view);
  const waits = view.tellWaits(drive.waits);
  try {
    const { turnId, finished } = await drive.ended;
    view.end(turnId);
    return finished.outcome;
  } finally {
    waits[Symbol.dispose]();
    interrupts[Symbol.dispose]();
  }
}

function turnStart(text: string, args: RunArguments, { sessionId }: OpenSession): ParamsOf<'turn/start'> {
  const { model, trust } = args;
  return {
    sessionId,
    text,
    ...(args.ask === true ? {} : { headless: true }),
    ...limitsOf(args),
    ...given({ model, trust }),
  };
}
