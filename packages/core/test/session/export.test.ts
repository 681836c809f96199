import { expect, test } from '@jest/globals';
import { type ExportContext, exportJson, exportMarkdown } from '@zerd/core/session/export';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId, SessionId } from '@zerd/protocol/common/ids';
import { assistant, call, created, finished, log, message, turn } from './events.ts';

const context: ExportContext = {
  session: { sessionId: 'ses_1' as SessionId, title: 'Fix it' },
  calls: new Map([
    ['c1' as CallId, { name: 'edit', inputJson: '{"path":"a.ts","old":"1","new":"2"}' }],
    ['c2' as CallId, { name: 'shell', inputJson: '{"command":"npm test -- `x`"}' }],
  ]),
  beside: new Set(['req_9' as RequestId]),
};

const check = (...events: readonly SessionEvent[]) =>
  log(...events)
    .map((logged) => exportMarkdown(logged, context))
    .join('');

test('people read what was said, a line for each call, and its change', () => {
  const text = check(
    created,
    turn,
    message('Fix it\n'),
    assistant('req_1', { kind: 'text', text: 'I look.' }, call('c1')),
    finished('c1', { diff: '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-1\n+2\n' }),
    finished('c2', { outcome: 'failed', exitCode: 1, shown: 'exit 1 after 2 s\nnot ok' }),
    assistant('req_9', { kind: 'text', text: 'A summary.' }),
    { kind: 'turn.finished', turnId: turn.turnId, outcome: 'failed', failure: { code: 'x', message: 'No\nroom.' } },
  );
  expect(text).toBe(`# Fix it

- Session: \`ses_1\`
- Folder: \`/repo\`
- Model: sim/sim, mode ask
- Begun: 1970-01-01 00:00 UTC

## User, 1970-01-01 00:00 UTC

Fix it

## zerd

I look.

- **edit** \`a.ts\`

\`\`\`diff
--- a.ts
+++ a.ts
@@ -1 +1 @@
-1
+2
\`\`\`

- **shell** \`\` npm test -- \`x\` \`\` (failed, exit 1): exit 1 after 2 s

> **failed**: No room.

`);
});

test('nothing that is quoted ends its fence', () => {
  const text = check(finished('c1', { diff: '+```\n+````js\n' }));
  expect(text).toContain('`````diff\n+```\n+````js\n`````\n');
});

test('programs read an event a line', () => {
  const events = log(created, message('two\nlines'));
  const lines = events.map(exportJson).join('').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(events);
});

test('images are told by what they are, with what brought them, and one that was refused with its reason', () => {
  const image = {
    archiveId: '1a2b3c4d5e6f' as ArchiveId,
    name: 'shot.png',
    type: 'image/png' as const,
    ...{ width: 800, height: 600, bytes: 34_120, tokens: 1_100 },
  };
  const said = { ...message('Look'), images: [image] } as SessionEvent;
  const refused: SessionEvent = {
    kind: 'images.refused',
    turnId: turn.turnId,
    images: [image.archiveId],
    reason: 'No',
  };
  const label = '[image shot.png 800x600, 34 kB, ~1,100 tokens]';
  expect(check(said, finished('c2', { images: [image] }), refused)).toBe(
    `## User, 1970-01-01 00:00 UTC\n\nLook\n${label}\n\n- **shell** \`\` npm test -- \`x\` \`\` ${label}\n\n> the provider refused an image, which is named to the model from here on: No\n\n`,
  );
});
