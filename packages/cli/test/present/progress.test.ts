import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ApprovalId, ArchiveId } from '@zerd/protocol/common/ids';
import { paint } from '../../src/present/paint.ts';
import { emptyProgress, progress, type View } from '../../src/present/progress.ts';
import { check } from '../check.ts';
import { answered, asked, begun, called, calls, created, ended, returned, says, wants } from '../events.ts';
import { requestId, turnId } from '../fake-daemon.ts';

/** What is drawn for the newest of these events. */
function drawn(events: readonly SessionEvent[], view: View = 'watch', colour = false): string {
  let known = emptyProgress;
  let text = '';
  for (const event of events) {
    const [next, lines] = progress(known, { at: 5000, event }, view);
    known = next;
    text = lines.map((line) => paint(line, colour)).join('');
  }
  return text;
}

const image = {
  archiveId: '1a2b3c4d5e6f' as ArchiveId,
  name: 'shot.png',
  type: 'image/png' as const,
  ...{ width: 800, height: 600, bytes: 34_120, tokens: 1_100 },
};

check('each event has its lines', (events: readonly SessionEvent[]) => drawn(events), [
  [[created], 'session with sim/sim, mode ask, in /repo\n'],
  [begun('one\ntwo'), '> one\n  two\n'],
  [
    [{ kind: 'message.submitted', turnId, text: 'Look', images: [image] }],
    '> Look\n  [image shot.png 800x600, 34 kB, ~1,100 tokens]\n',
  ],
  [
    [called('c1', 'read', { path: 'shot.png' }), returned('c1', { images: [image] })],
    '✓ read shot.png (0.02 s)\n  [image shot.png 800x600, 34 kB, ~1,100 tokens]\n',
  ],
  [
    [{ kind: 'images.refused', turnId, images: [image.archiveId, image.archiveId], reason: 'Too many' }],
    'the provider refused 2 images, which are named to the model from here on: Too many\n',
  ],
  [
    [
      {
        kind: 'reminder.added',
        turnId,
        text: '',
        about: {
          kind: 'outsideTools',
          servers: [
            { name: 'forge', state: 'ready', tools: { by: 'names', count: 150, tools: [] } },
            { name: 'notes', state: 'failed' },
          ],
        },
      },
    ],
    'told the model of outside tools: forge (150), notes cannot be used now\n',
  ],
  [[asked(31_234)], 'request 1 to sim/sim, 31.2 kB\n'],
  [[asked(9, 1), asked(9, 2)], 'request 2 (attempt 2) to sim/sim, 9 B\n'],
  [
    [
      {
        kind: 'request.failed',
        requestId,
        turnId,
        failure: { code: 'provider_overloaded', message: 'busy', status: 529 },
        retryAt: 7000,
      },
    ],
    'request failed: provider_overloaded 529: busy; trying again in 2.00 s\n',
  ],
  [
    [{ kind: 'request.failed', requestId, turnId, failure: { code: 'provider_auth', message: 'no' } }],
    'request failed: provider_auth: no\n',
  ],
  [
    [
      {
        kind: 'request.failed',
        requestId,
        turnId,
        failure: { code: 'interrupted', message: 'interrupted by the user' },
      },
    ],
    '',
  ],
  [[answered([says('Let me look.\n'), calls('c1', 'read', {})])], 'Let me look.\n'],
  [[called('c1', 'read', { path: 'a.ts' })], ''],
  [[called('c1', 'read', { path: 'a.ts' }), returned('c1')], '✓ read a.ts (0.02 s)\n'],
  [
    [called('c1', 'shell', { command: 'npm test' }), returned('c1', { outcome: 'failed', exitCode: 1, shown: 'boom' })],
    '✗ shell npm test (exit 1, 0.02 s)\n',
  ],
  [
    [called('c1', 'read', { path: 'no' }), returned('c1', { outcome: 'failed', shown: 'No such file.\nmore' })],
    '✗ read no (0.02 s): No such file.\n',
  ],
  [[called('c1', 'shell', { command: 'ls' }), returned('c1', { outcome: 'denied' })], '- shell ls (denied, 0.02 s)\n'],
  [
    [called('c1', 'shell', { command: 'ls' }), returned('c1', { outcome: 'unknown' })],
    '? shell ls (unknown, 0.02 s)\n',
  ],
  [[called('c1', 'shell', { command: 'a\nb\x1b[2J' }), returned('c1')], '✓ shell a\\nb\\x1b[2J (0.02 s)\n'],
  [[wants('shell', 'rm -rf build')], '? shell asks:\n  rm -rf build\n'],
  [
    [{ kind: 'approval.answered', turnId, approvalId: 'apr_1' as ApprovalId, decision: 'granted', always: ['make *'] }],
    'granted for good: make *\n',
  ],
  [[{ kind: 'mode.changed', mode: 'full' }], 'mode is now full\n'],
  [[{ kind: 'model.changed', model: 'a/b' }], 'model is now a/b\n'],
  [
    [...begun('x'), asked(500), called('c1', 'read', {}), answered([says('ok')], 1e9), ended('done')],
    'done: 1 request (500 B), 1 tool call, 1.0k tokens in (80 % cached), 40 out, $0.001\n',
  ],
  [
    [...begun('x'), asked(500), answered([], null), ended('limit')],
    'limit: 1 request (500 B), 0 tool calls, 1.0k tokens in (80 % cached), 40 out, unpriced\n',
  ],
  [
    [...begun('x'), asked(500), ended('failed', { code: 'provider_auth', message: 'no' })],
    'failed (provider_auth: no): 1 request (500 B), 0 tool calls, none answered\n',
  ],
]);

const diff = '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-one\n+two\n same\n';
const edited = [called('c1', 'edit', { path: 'a.ts' }), returned('c1', { diff })];

test('diffs are indented, and coloured only when colours are wanted', () => {
  expect(drawn(edited)).toBe(
    '✓ edit a.ts (0.02 s)\n    --- a.ts\n    +++ a.ts\n    @@ -1 +1 @@\n    -one\n    +two\n     same\n',
  );
  expect(drawn(edited, 'watch', true)).toBe(
    '✓ edit a.ts (0.02 s)\n\x1b[2m    --- a.ts\x1b[0m\n\x1b[2m    +++ a.ts\x1b[0m\n\x1b[36m    @@ -1 +1 @@\x1b[0m\n\x1b[31m    -one\x1b[0m\n\x1b[32m    +two\x1b[0m\n     same\n',
  );
});

test('a long diff is cut and says by how much', () => {
  const long = [called('c1', 'write', { path: 'a' }), returned('c1', { diff: '+x\n'.repeat(100) })];
  expect(drawn(long).split('\n').slice(-2)).toEqual(['    ... 40 more lines of this diff', '']);
});

test('whoever runs the turn is not told again what the command prints itself', () => {
  expect(drawn([answered([says('The answer.')])], 'run')).toBe('');
  expect(drawn([answered([says('Looking.'), calls('c1', 'read', {})])], 'run')).toBe('Looking.\n');
  expect(drawn(begun('the prompt'), 'run')).toBe('');
  const failed = ended('failed', { code: 'provider_auth', message: 'no' });
  expect(drawn([...begun('x'), asked(500), failed], 'run')).toBe(
    'failed: 1 request (500 B), 0 tool calls, none answered\n',
  );
});
