/** `zerd rewind`: takes back what was said and done since a point: files as they were, and a fork that ends there. */
import type { ResultOf } from '@zerd/protocol/common/methods';
import { rewoundLines } from '@zerd/protocol/common/rewound-text';
import { safeJson, sanitiseLine } from '@zerd/protocol/common/sanitise';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { given } from '../given.ts';
import { pickSession } from '../session/pick-session.ts';
import { sessionComplaint } from '../session/session-id.ts';
import type { Terminal } from '../terminal.ts';
import { eventComplaint } from './fork.ts';

export const rewindCommand = defineCommand({
  name: 'rewind',
  usage: 'rewind [session]',
  says: 'Takes back the newest message with what was done for it: files, and the conversation in a fork',
  positionals: { session: { type: 'string', describe: 'A session (ses_...); default: the newest' } },
  options: ['turns', 'at', 'force', 'preview', 'json'],
  words: { at: 'In place of --turns: the number of the last event that stays' },
  examples: [
    ['zerd rewind --preview', 'What would become of which file'],
    ['zerd rewind', 'Files as they were before the newest message; the id of the fork is printed'],
    ['zerd rewind --turns 3', 'Before the last three'],
    ['zerd run --session $(zerd rewind) "the other way"', 'Tries something else'],
  ],
  epilogue:
    'The session itself stays as it is, and what a file held is archived. A file that something else changed too (you, a command) stays, unless --force. What commands changed is not known and not taken back.',
  complaint: ({ session, at, turns }) => sessionComplaint(session) ?? eventComplaint(at) ?? turnsComplaint(turns, at),
  async perform({ session, at, turns, force, preview, json }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const { sessionId } = await pickSession(client, session);
      const atSeq = at === undefined ? undefined : Number(at);
      const wish = { sessionId, ...given({ atSeq, turns, force, preview }) };
      const rewound = await client.request('session/rewind', wish);
      if (json === true) terminal.out(`${safeJson({ ...rewound, rewindOf: sessionId })}\n`);
      else tell(rewound, terminal);
      return rewound.files.some(({ outcome }) => outcome === 'failed') ? exitCode.failed : exitCode.done;
    } finally {
      client.close();
    }
  },
});

function turnsComplaint(turns: number | undefined, at: string | undefined): string | undefined {
  if (turns === undefined) return undefined;
  if (at !== undefined) return '--turns and --at both say how far: give one.';
  return Number.isSafeInteger(turns) && turns > 0 ? undefined : '--turns takes a whole number from 1.';
}

function tell(rewound: ResultOf<'session/rewind'>, terminal: Terminal): void {
  const { sessionId, text } = rewound;
  const said = text === undefined ? [] : [`${sessionId === undefined ? 'Would take' : 'Taken'} back: ${oneLine(text)}`];
  for (const line of [...said, ...rewoundLines(rewound)]) terminal.err(`${sanitiseLine(line)}\n`);
  if (sessionId !== undefined) terminal.out(`${sessionId}\n`);
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
