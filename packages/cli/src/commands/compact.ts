/** `zerd compact`: puts a summary in the place of the older part of a conversation, and says what came of it. */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import { safeJson, sanitise, sanitiseLine } from '@zerd/protocol/common/sanitise';
import { type Feed, follow } from '@zerd/protocol/node/follow';
import { type Context, defineCommand } from '../command.ts';
import { exitCodeOfOutcome } from '../exit-code.ts';
import { given } from '../given.ts';
import { thousands } from '../present/cost-line.ts';
import { onInterrupts } from '../session/on-interrupts.ts';
import { pickSession } from '../session/pick-session.ts';
import { sessionComplaint } from '../session/session-id.ts';

export const compactCommand = defineCommand({
  name: 'compact',
  usage: 'compact',
  says: 'Sums up the older part of a conversation, so that its prompts become small again',
  positionals: {},
  options: ['session', 'trust', 'json'],
  examples: [
    ['zerd compact', 'The newest session'],
    ['zerd compact --session ses_...', 'Another one'],
  ],
  epilogue: 'What is summed up stays in the log and can be recalled. Ctrl-C leaves the conversation as it was.',
  complaint: ({ session }) => sessionComplaint(session),
  async perform({ session, trust, json }, context) {
    const client = await context.connect('daemon');
    const { sessionId, after } = await pickSession(client, session);
    const came = watchCompaction();
    const wish = { client, reconnect: () => context.connect('daemon'), clock: context.clock, sessionId, after };
    const feed = await follow(wish, { event: ({ event }) => came.observe(event), lost: came.lose });
    try {
      return await compact(feed, { sessionId, trust, json }, came, context);
    } finally {
      feed.close();
    }
  },
});

interface CompactArgs {
  readonly sessionId: SessionId;
  readonly trust: boolean | undefined;
  readonly json: boolean | undefined;
}

async function compact(feed: Feed, args: CompactArgs, came: Watch, { terminal }: Context): Promise<number> {
  const { sessionId, trust, json } = args;
  if (json !== true) terminal.err(`Summing up ${sessionId}. Ctrl-C leaves it as it was.\n`);
  const { turnId } = await feed.request('session/compact', { sessionId, ...given({ trust }) });
  const interrupt = () => void feed.request('turn/interrupt', { sessionId, turnId }).catch(came.lose);
  const listening = onInterrupts(terminal, { interrupt }, { note: (text) => terminal.err(`${text}\n`) });
  const { end, compacted } = await came.ended(turnId).finally(() => listening[Symbol.dispose]());
  if (json === true) terminal.out(`${safeJson({ sessionId, ...outcomeOf(end), compacted: compacted ?? null })}\n`);
  else if (compacted !== undefined) terminal.out(compactedText(compacted));
  if (end.outcome !== 'done') terminal.err(sanitise(`zerd: ${end.failure?.message ?? end.outcome}\n`));
  return exitCodeOfOutcome(end.outcome);
}

type Compacted = Extract<SessionEvent, { kind: 'context.compacted' }>;
type Finished = Extract<SessionEvent, { kind: 'turn.finished' }>;

function outcomeOf({ outcome, failure }: Finished) {
  return { outcome, failure: failure ?? null };
}

export function compactedText({ predicted, archiveId }: Compacted): string {
  const sizes = `about ${thousands(predicted.prompt)} -> ${thousands(predicted.after)} tokens a request`;
  const where = archiveId === undefined ? '' : `; the whole is archived as ${sanitiseLine(archiveId.slice(0, 12))}`;
  return `Summed up: ${sizes}${where}.\nSee what the model sees now: zerd context\n`;
}

interface Watch {
  observe(event: SessionEvent): void;
  lose(error: unknown): void;
  ended(turnId: TurnId): Promise<{ readonly end: Finished; readonly compacted: Compacted | undefined }>;
}

/** The end may come before the answer that names the turn. */
function watchCompaction(): Watch {
  const ends = new Map<TurnId, Finished>();
  const made = new Map<TurnId, Compacted>();
  let tell: () => void = () => {};
  let fail: (error: unknown) => void = () => {};
  let lost: { readonly error: unknown } | undefined;
  return {
    observe(event) {
      if (event.kind === 'context.compacted') made.set(event.turnId, event);
      if (event.kind !== 'turn.finished') return;
      ends.set(event.turnId, event);
      tell();
    },
    lose(error) {
      lost = { error };
      fail(error);
    },
    ended: (turnId) =>
      new Promise((resolve, reject) => {
        tell = () => {
          const end = ends.get(turnId);
          if (end !== undefined) resolve({ end, compacted: made.get(turnId) });
        };
        fail = reject;
        if (lost !== undefined) reject(lost.error);
        tell();
      }),
  };
}
