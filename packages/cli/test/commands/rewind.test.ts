import { expect, test } from '@jest/globals';
import { fakeDaemon, start } from '../fake-daemon.ts';

const files = [
  { path: 'a.ts', outcome: 'put back', back: 'aaaaaaaaaaaa', was: 'bbbbbbbbbbbb' },
  { path: 'new.ts', outcome: 'removed', was: 'cccccccccccc' },
  { path: 'b.ts', outcome: 'as before' },
  { path: 'c.ts', outcome: 'changed', back: 'dddddddddddd' },
  { path: 'd.ts', outcome: 'unknown' },
];

function daemonWith(rewound: object) {
  const daemon = fakeDaemon();
  daemon.on('session/list', () => ({ sessions: [{ sessionId: 'ses_1', createdAt: 1, updatedAt: 1, lastSeq: 9 }] }));
  daemon.on('session/rewind', () => ({ seq: 4, text: 'Change\nthem.', files, commands: 0, ...rewound }));
  return daemon;
}

async function outcome({ screen, code }: ReturnType<typeof start>) {
  return { code: await code, out: screen.out, err: screen.err };
}

test('the id of the fork goes to scripts, and what became of each file to people', async () => {
  const daemon = daemonWith({ sessionId: 'ses_9', commands: 2 });
  expect(await outcome(start(['rewind', '--turns', '2'], daemon))).toEqual({
    code: 0,
    out: 'ses_9\n',
    err: [
      'Taken back: Change them.',
      'a.ts: put back; what was there is archived as bbbbbbbbbbbb',
      'new.ts: removed, it was created since; archived as cccccccccccc',
      'b.ts: is as it was already',
      'c.ts: stays, something else changed it too; what it held is archived as dddddddddddd',
      'd.ts: stays, what it held is not known',
      'What a file held is not known where it was over 8 MiB, a write was cut off, a secret of it was forgotten, or an older release wrote it.',
      '2 commands ran since: what they changed is not taken back.',
      `To read what is archived: zerd archive bbbbbbbbbbbb\n`,
    ].join('\n'),
  });
  expect(daemon.requests.at(-1)).toEqual({ method: 'session/rewind', params: { sessionId: 'ses_1', turns: 2 } });
});

test('a preview prints no id, and a file that could not be put back is a failure', async () => {
  const preview = await outcome(start(['rewind', '--preview'], daemonWith({})));
  expect([preview.out, preview.code, preview.err.split('\n')[0]]).toEqual(['', 0, 'Would take back: Change them.']);
  const bad = [{ path: 'e.ts', outcome: 'failed', message: 'e.ts is a folder, not a file.' }];
  const failed = await outcome(start(['rewind'], daemonWith({ sessionId: 'ses_9', files: bad })));
  expect([failed.code, failed.err.split('\n')[1]]).toEqual([1, 'e.ts: stays. e.ts is a folder, not a file.']);
});

test.each([
  [['--turns', '0'], '--turns takes a whole number from 1.'],
  [['--turns', '1.5'], '--turns takes a whole number from 1.'],
  [['--turns', '2', '--at', '3'], '--turns and --at both say how far: give one.'],
  [['--at', 'x'], "'x' is no event: they are numbered from 1."],
])('rewind %s is refused before anything is asked', async (args, complaint) => {
  const daemon = daemonWith({});
  const { code, err } = await outcome(start(['rewind', ...args], daemon));
  expect([code, err.split('\n')[0], daemon.requests]).toEqual([2, `zerd: ${complaint}`, []]);
});
