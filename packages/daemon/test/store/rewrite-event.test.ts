import { expect, test } from '@jest/globals';
import { splitRules } from '@zerd/core/rules/block';
import { rewriteEvent } from '@zerd/daemon/store/rewrite-event';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, TurnId } from '@zerd/protocol/common/ids';

const block = (path: string, text: string) => `\n<rules from="${path}">\n${text}\n</rules>`;
const secrets = ['secret', 'a-secret-that-is-longer-than-what-stands-for-it'];

test.each(secrets)('what of a text is rules is found behind %s too when that is forgotten', (secret) => {
  const blocks = [block('a/AGENTS.md', `Key: ${secret}, twice ${secret}.`), block('a/b/AGENTS.md', 'Use tabs.')];
  const body = `body ${secret}`;
  const rules = blocks.map((text, n) => ({ path: `${n}`, hash: `${n}`, chars: text.length }));
  const whose = { turnId: 'turn_1' as TurnId, callId: 'call_1' as CallId };
  const event: SessionEvent = {
    ...{ kind: 'toolCall.finished', ...whose, outcome: 'ok', shown: body + blocks.join(''), rules },
    ...{ archiveId: 'a1b2c3d4e5f6' as ArchiveId, bytes: 1, durationMs: 1 },
  };
  const next = rewriteEvent(event, { secret, replacement: '[forgotten]', renamed: new Map() });
  if (next?.kind !== 'toolCall.finished') throw new Error('it did not change');
  expect(splitRules(next.shown, next.rules)).toEqual({
    body: 'body [forgotten]',
    rules: [
      { path: '0', hash: '0', text: block('a/AGENTS.md', 'Key: [forgotten], twice [forgotten].') },
      { path: '1', hash: '1', text: block('a/b/AGENTS.md', 'Use tabs.') },
    ],
  });
});

test('what held no secret stays', () => {
  const event: SessionEvent = { kind: 'context.trimmed', turnId: 'turn_1', note: 'x' } as never;
  expect(rewriteEvent(event, { secret: 'secret', replacement: '', renamed: new Map() })).toBeUndefined();
});
