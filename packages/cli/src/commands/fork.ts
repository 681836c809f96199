/** `zerd fork`: a session that goes another way from some event on, and has not to be paid again. */
import { safeJson } from '@zerd/protocol/common/sanitise';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { given } from '../given.ts';
import { pickSession } from '../session/pick-session.ts';
import { sessionComplaint } from '../session/session-id.ts';

export const forkCommand = defineCommand({
  name: 'fork',
  usage: 'fork [session]',
  says: 'Makes a session with the same conversation, up to now or to an earlier event',
  positionals: { session: { type: 'string', describe: 'A session (ses_...); default: the newest' } },
  options: ['at', 'json'],
  words: { at: 'Up to the event of this number; default: up to now' },
  examples: [
    ['zerd fork', 'The newest session as it is now; the new id is printed'],
    ['zerd fork ses_... --at 120', 'As it was after event 120, as `zerd watch --json` numbers them'],
    ['zerd run --session $(zerd fork) "the other way"', 'Tries something else'],
  ],
  epilogue: 'The session itself stays as it is. Both share what the provider has cached.',
  complaint: ({ session, at }) => sessionComplaint(session) ?? eventComplaint(at),
  async perform({ session, at, json }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const { sessionId } = await pickSession(client, session);
      const atSeq = at === undefined ? undefined : Number(at);
      const fork = await client.request('session/fork', { sessionId, ...given({ atSeq }) });
      terminal.out(json === true ? `${safeJson({ ...fork, forkOf: sessionId })}\n` : `${fork.sessionId}\n`);
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

export function eventComplaint(at: string | undefined): string | undefined {
  return at === undefined || /^[1-9]\d{0,14}$/.test(at) ? undefined : `'${at}' is no event: they are numbered from 1.`;
}
