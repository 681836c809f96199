import { expect, test } from '@jest/globals';
import type { CacheKnowledge, FirstElsewhere } from '@zerd/core/accounting/cache-knowledge';
import { ledgerOf } from '@zerd/core/accounting/ledger';
import type { CauseKind } from '@zerd/core/accounting/miss-cause';
import { firstRequest, missesOf } from '@zerd/core/accounting/misses';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { createLog } from './logs.ts';

const usual: CacheKnowledge = { cacheMs: 300_000, minPrefix: 1_024, reportsCache: undefined };
type Log = ReturnType<typeof createLog>;

interface Expected {
  readonly cause: CauseKind;
  readonly blame: 'ours' | 'yours' | 'provider' | 'unknown';
  readonly segment?: string;
  readonly event?: string;
}

const base = ['T', 'S', 'm0'];
const grown = ['T', 'S', 'm0', 'a1', 'm2'];

function warm(): Log {
  return createLog().turn().answered({ write: 20_000, segments: base });
}

function check(name: string, log: Log, expected: Expected | null, about: Partial<CacheKnowledge> = {}): void {
  test(name, () => {
    const { misses } = missesOf(ledgerOf(log.events).requests, () => ({ ...usual, ...about }));
    expect(
      misses.map(({ cause, blame, segment, event }) => ({
        cause,
        blame,
        ...(segment === undefined ? {} : { segment }),
        ...(event === undefined ? {} : { event: event.kind }),
      })),
    ).toEqual(expected === null ? [] : [expected]);
  });
}

const lost = { read: 2_000, write: 19_000, segments: grown };
const changedModel: SessionEvent = { kind: 'model.changed', model: 'sim/big' };

check('a prompt that is read is no miss', warm().answered({ read: 20_000, write: 500, segments: grown }), null);
check('a few hundred tokens are noise', warm().answered({ read: 19_100, write: 900, segments: grown }), null);
check('2.2: the same bytes, soon after, and not read: the provider lost it', warm().answered(lost), {
  cause: 'providerSide',
  blame: 'provider',
});
check(
  "2.2: a read that is stuck at the end of the system text is the provider's too",
  warm().answered({ ...lost, diagnosis: { verdict: 'same' } }),
  { cause: 'providerSide', blame: 'provider' },
);
check(
  'idle between turns beyond the lifetime is the user away',
  warm()
    .turn()
    .answered({ ...lost, after: 432_000 }),
  { cause: 'idle', blame: 'yours' },
);
check('a tool that runs longer than the lifetime is ours', warm().answered({ ...lost, after: 432_000 }), {
  cause: 'idle',
  blame: 'ours',
});
check(
  'a prompt that was kept warm is not idle',
  warm()
    .answered({ read: 20_000, segments: base, purpose: 'keepWarm', after: 270_000 })
    .turn()
    .answered({ ...lost, after: 250_000 }),
  { cause: 'providerSide', blame: 'provider' },
);
for (const [segment, changed] of [
  ['tools', ['T=x', 'S', 'm0', 'a1']],
  ['system', ['T', 'S=x', 'm0', 'a1']],
  ['message 0', ['T', 'S', 'm0=x', 'a1']],
] as const) {
  check(
    `2.2: ${segment} that changed without an event is a defect of ours, named`,
    warm().answered({ ...lost, segments: changed }),
    {
      cause: 'changed',
      blame: 'ours',
      segment,
    },
  );
  check(
    `the provider says that ${segment} changed, and so do our hashes: one finding`,
    warm().answered({ ...lost, segments: changed, diagnosis: { verdict: 'changed', reason: 'messages_changed' } }),
    { cause: 'changed', blame: 'ours', segment },
  );
}
check(
  "the provider says that something changed where we sent the same bytes: its word, not the user's doing",
  warm().answered({ ...lost, diagnosis: { verdict: 'changed', reason: 'messages_changed' } }),
  { cause: 'diagnosed', blame: 'provider' },
);
check(
  'a parameter that only the provider sees changed is unknown',
  warm().answered({ ...lost, diagnosis: { verdict: 'changed', reason: 'reasoning_effort_changed' } }),
  { cause: 'diagnosed', blame: 'unknown' },
);
check(
  'a diagnosis that cannot say leaves the finding to what was sent',
  warm().answered({ ...lost, diagnosis: { verdict: 'unknown', reason: 'previous_message_not_found' } }),
  { cause: 'providerSide', blame: 'provider' },
);
{
  const log = warm();
  log.add(changedModel);
  check("another model is the user's choice", log.answered({ ...lost, read: 0, write: 21_000, model: 'sim/big' }), {
    cause: 'modelChanged',
    blame: 'yours',
    event: 'model.changed',
  });
}
check(
  'a trim is planned, and named with the first message that it changed',
  warm()
    .answered({ read: 20_000, write: 9_000, segments: grown })
    .trimmed({ read: 29_000, kept: 4_000 })
    .answered({ read: 4_000, write: 12_000, segments: ['T', 'S', 'm0', 'a1', 'm2=cut', 'a3'] }),
  { cause: 'trimmed', blame: 'ours', segment: 'message 2', event: 'context.trimmed' },
);
check(
  'a trim in the cold is not the cause of the cold',
  warm()
    .answered({ read: 20_000, write: 9_000, segments: grown })
    .turn()
    .trimmed({ read: 0, kept: 0 })
    .answered({ read: 0, write: 16_000, segments: ['T', 'S', 'm0', 'a1', 'm2=cut'], after: 900_000 }),
  { cause: 'idle', blame: 'yours' },
);
check(
  'a trim that kept much of which nothing was read hides a loss of the provider',
  warm()
    .answered({ read: 20_000, write: 9_000, segments: grown })
    .trimmed({ read: 29_000, kept: 20_000 })
    .answered({ read: 0, write: 26_000, segments: ['T', 'S', 'm0', 'a1', 'm2=cut', 'a3'] }),
  { cause: 'providerSide', blame: 'provider' },
);
check(
  'a summary is planned',
  warm()
    .answered({ read: 20_000, write: 900, segments: [...base, 'ask'], purpose: 'compaction' })
    .compacted()
    .answered({ read: 3_000, write: 5_000, segments: ['T', 'S', 'summary'] }),
  { cause: 'compacted', blame: 'ours', segment: 'message 0', event: 'context.compacted' },
);
check(
  'what a summary asks behind the prompt is no part of what follows when it fails',
  warm()
    .answered({ read: 20_000, write: 9_000, segments: [...base, 'ask'], purpose: 'compaction' })
    .answered({ read: 20_000, write: 300, segments: grown }),
  null,
);
check(
  'nothing is kept below the minimum',
  warm().answered(lost),
  { cause: 'belowMinimum', blame: 'provider' },
  { minPrefix: 32_000 },
);
check(
  'a log that does not hold what was sent leaves the cause unknown',
  createLog()
    .turn()
    .answered({ write: 20_000, segments: [] })
    .answered({ ...lost, segments: [] }),
  { cause: 'unknown', blame: 'unknown' },
);
check(
  'endpoints that never report a cache are not blamed',
  createLog().turn().answered({ uncached: 20_000 }).answered({ uncached: 21_000, segments: grown }),
  null,
);
check(
  'a model that is known to report is held to it',
  createLog().turn().answered({ uncached: 20_000 }).answered({ uncached: 21_000, segments: grown }),
  { cause: 'providerSide', blame: 'provider' },
  { reportsCache: true },
);
check('one that is known to say nothing never is', warm().answered(lost), null, { reportsCache: false });
{
  const refused = warm();
  refused.add({
    kind: 'images.refused',
    turnId: 'turn_1',
    images: ['1a2b3c4d5e6f'],
    reason: 'No',
  } as unknown as SessionEvent);
  check(
    'an image that leaves the prompt is the provider’s doing',
    refused.answered({ ...lost, segments: ['T', 'S', 'm0=other', 'a1'] }),
    {
      cause: 'imagesRefused',
      blame: 'provider',
      segment: 'message 0',
      event: 'images.refused',
    },
  );
  const rewound = warm();
  rewound.add({ kind: 'session.rewound' } as unknown as SessionEvent);
  check("going back is the user's choice", rewound.answered({ ...lost, segments: ['T', 'S', 'm0=other', 'a1'] }), {
    cause: 'rewound',
    blame: 'yours',
    segment: 'message 0',
    event: 'session.rewound',
  });
}

test('a loss of the provider behind a trim does not claim that nothing was changed', () => {
  const log = warm()
    .answered({ read: 20_000, write: 9_000, segments: grown })
    .trimmed({ read: 29_000, kept: 20_000 })
    .answered({ read: 0, write: 26_000, segments: ['T', 'S', 'm0', 'a1', 'm2=cut', 'a3'] });
  const { misses } = missesOf(ledgerOf(log.events).requests, () => usual);
  expect(misses.map(({ says }) => says)).toEqual([
    'the provider lost it or asked elsewhere: 20000 tokens were left as they were when old results were cleared',
  ]);
});

test('parallel first requests are named: eight that began alike before one was answered', () => {
  const first = ledgerOf(createLog().turn().answered({ write: 8_000 }).events).requests;
  const here = firstRequest(first);
  const at = (here?.at ?? 0) - 500;
  const beside: FirstElsewhere = { model: 'sim/sim', fixed: here?.fixed ?? '', at, endedAt: at + 5_000 };
  const causes = (others: readonly FirstElsewhere[]) =>
    missesOf(first, () => ({ ...usual, reportsCache: true }), others).misses.map(({ cause, blame }) => [cause, blame]);
  expect(causes([beside])).toEqual([['parallel', 'ours']]);
  expect(causes([{ ...beside, endedAt: at + 100 }])).toEqual([['providerSide', 'provider']]);
  expect(causes([{ ...beside, fixed: 'other' }])).toEqual([]);
  expect(causes([{ ...beside, at: at - 400_000, endedAt: at - 399_000 }])).toEqual([]);
});

test('a miss costs what was paid beyond reading it: written tokens first, then those sent uncached', () => {
  const log = warm().answered({ read: 2_000, write: 10_000, write1h: 4_000, uncached: 12_000, segments: grown });
  const { misses, hitRate } = missesOf(ledgerOf(log.events).requests, () => usual);
  expect(misses).toMatchObject([
    {
      tokens: 18_000,
      read: 2_000,
      costPico: 4_000 * 4_000_000 + 6_000 * 2_500_000 + 8_000 * 2_000_000 - 18_000 * 100_000,
    },
  ]);
  expect(hitRate).toBe(2_000 / 44_000);
});

test('without a price a miss is told and unpriced, and a silent endpoint is named as such', () => {
  const log = createLog()
    .turn()
    .answered({ write: 20_000, unpriced: true })
    .answered({ ...lost, unpriced: true });
  expect(missesOf(ledgerOf(log.events).requests, () => usual).misses).toMatchObject([{ costPico: null }]);
  const silent = createLog().turn().answered({ uncached: 20_000 }).answered({ uncached: 21_000 });
  expect(missesOf(ledgerOf(silent.events).requests, () => usual)).toEqual({
    misses: [],
    notReported: ['sim/sim'],
    hitRate: 0,
  });
});

test('what a fork copied is compared with and not told again', () => {
  const log = createLog({ forkOf: { sessionId: 'ses_other' as never, seq: 6 } })
    .turn()
    .answered({ write: 20_000 })
    .answered(lost);
  const { misses } = missesOf(ledgerOf(log.events).requests, () => usual);
  expect(misses).toEqual([]);
  log.answered({ read: 0, write: 21_500, segments: [...grown, 'a3', 'm4'] });
  expect(missesOf(ledgerOf(log.events).requests, () => usual).misses).toMatchObject([{ cause: 'providerSide' }]);
});
