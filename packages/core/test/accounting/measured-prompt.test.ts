import { expect, test } from '@jest/globals';
import { forecast } from '@zerd/core/accounting/forecast';
import { measurePrompt } from '@zerd/core/accounting/measured-prompt';
import { planRelief } from '@zerd/core/context/relieve/plan-relief';
import { plannerModel } from '@zerd/core/context/relieve/planner-model';
import { viewSession } from '@zerd/core/context/relieve/session-view';
import { trimEvent } from '@zerd/core/context/relieve/trim-event';
import { renderPrompt } from '@zerd/core/context/render';
import { applyEvent, foldSession } from '@zerd/core/session/fold';
import type { SessionState } from '@zerd/core/session/state';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import { created, log, message, request, turn } from '../session/events.ts';

/** A provider's tokenizer: how many letters, digits and signs it puts into one token, and what frames a block. */
interface Tokenizer {
  readonly letters: number;
  readonly digits: number;
  readonly signs: number;
  readonly frame: number;
}

const kinds = {
  prose: 'The daemon keeps what was asked and goes on with it after a start. ',
  code: '  const total = rows.reduce((sum, row) => sum + row.tokens, 0);\n',
  json: '{"id":4711,"name":"store","ok":true,"size":[12,88]},\n',
  digits: '2026-11-30 02:14:09.331 0x7f3a 192.168.0.17 4411 ok\n',
} as const;

type Kind = keyof typeof kinds;

interface Read {
  readonly kind: Kind;
  readonly bytes: number;
}

function tokensOf(text: string, { letters, digits, signs }: Tokenizer): number {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(/[a-z]/gi) / letters + count(/\d/g) / digits + count(/[^a-z\d\s]/gi) / signs + count(/\n/g) / 2;
}

function sentTokens(state: SessionState, tokenizer: Tokenizer): number {
  const sizes = [fixedTokens(state, tokenizer), ...blockTokens(state, tokenizer)];
  return Math.round(sizes.reduce((sum, size) => sum + size, 0));
}

function fixedTokens({ created: { system } }: SessionState, tokenizer: Tokenizer): number {
  return tokensOf(system, tokenizer) + tokenizer.frame;
}

function blockTokens(state: SessionState, tokenizer: Tokenizer): readonly number[] {
  const blocks = renderPrompt(state, 'key').messages.flatMap((one) => one.blocks.map((block) => JSON.stringify(block)));
  const texts = blocks.map((json) => json.replaceAll('\\n', '\n'));
  return texts.map((text) => tokensOf(text, tokenizer) + tokenizer.frame);
}

const model = plannerModel({ wire: 'responses', contextWindow: 200_000, maxOutput: 8_000, price: null, row: null });

/** One read a request; the provider counts each prompt as its tokenizer does. */
function played(reads: readonly Read[], tokenizer: Tokenizer): SessionState {
  const begin = [{ ...created, system: kinds.prose.repeat(60) }, turn, message('Look at the files.')];
  return again(foldSession(log(...begin)), reads, tokenizer);
}

function again(before: SessionState, reads: readonly Read[], tokenizer: Tokenizer): SessionState {
  const { turnId } = turn;
  return reads.reduce((state, { kind, bytes }) => {
    const i = state.lastSeq;
    const [callId, requestId] = [`c${i}` as CallId, `req_${i}` as RequestId];
    const uncached = sentTokens(state, tokenizer);
    const text = kinds[kind];
    const events: readonly SessionEvent[] = [
      request(requestId),
      {
        kind: 'assistant.finished',
        requestId,
        turnId,
        content: [{ kind: 'toolCall', callId, name: 'read', inputJson: JSON.stringify({ path: `src/file-${i}.ts` }) }],
        stopReason: 'toolUse',
        usage: { uncached, cacheRead: 0, cacheWrite: 0, output: 20, reported: true },
        costPico: null,
      },
      {
        kind: 'toolCall.finished',
        turnId,
        callId,
        outcome: 'ok',
        shown: text.repeat(Math.ceil(bytes / text.length)),
        archiveId: `${i.toString(16).padStart(4, '0')}8e4f13d53c24` as ArchiveId,
        bytes,
        durationMs: 1,
      },
    ];
    return events.reduce(
      (now, event) => applyEvent(now, { seq: now.lastSeq + 1, at: now.lastAt + 1_000, event }),
      state,
    );
  }, before);
}

/** The request behind which everything is old is trimmed in front of it, as the runner would. */
function trimmed(state: SessionState, now: number): SessionState {
  const { view, parts } = viewSession(state, { model, now, window: 6, compacts: false });
  const plan = planRelief(view);
  if (plan.kind !== 'trim') throw new Error(`no trim: ${plan.reason}`);
  const event = trimEvent({ plan, parts, turnId: turn.turnId, archived: new Map(), endsReasoning: false });
  if (event === undefined) throw new Error('nothing to trim in front of');
  return applyEvent(state, { seq: state.lastSeq + 1, at: now, event });
}

const tokenizers = fc.record({
  letters: fc.double({ min: 2.5, max: 5, noNaN: true }),
  digits: fc.double({ min: 1, max: 3, noNaN: true }),
  signs: fc.double({ min: 1, max: 2, noNaN: true }),
  frame: fc.integer({ min: 4, max: 30 }),
});
const read = fc.record({
  kind: fc.constantFrom<Kind>('prose', 'code', 'json', 'digits'),
  bytes: fc.integer({ min: 40, max: 9_000 }),
});

test('what was sent adds up to what was reported of the newest request, whatever the tokenizer', () => {
  fc.assert(
    fc.property(fc.array(read, { minLength: 1, maxLength: 12 }), tokenizers, (reads, tokenizer) => {
      const state = played(reads, tokenizer);
      const fixed = fixedTokens(state, tokenizer);
      const measured = measurePrompt(state, fixed);
      const sent = measured?.blocks.filter(({ stretch }) => stretch < reads.length) ?? [];
      const sum = sent.reduce((total, { tokens }) => total + tokens, measured?.fixed ?? 0);
      expect(sum).toBeCloseTo(state.lastRequest?.usage.uncached ?? 0, 6);
    }),
    { numRuns: 50 },
  );
});

const plain: Tokenizer = { letters: 4, digits: 3, signs: 2, frame: 12 };
const reads = (count: number, bytes: number, ...mix: readonly Kind[]) =>
  Array.from({ length: count }, (_, i) => ({ kind: mix[i % mix.length] ?? 'code', bytes: bytes + 170 * (i % 7) }));

test.each<[string, ReturnType<typeof reads>, Tokenizer]>([
  ['code', reads(14, 3_000, 'code'), plain],
  ['a little of everything', reads(18, 1_500, 'prose', 'code', 'json', 'digits'), plain],
  [
    'everything, with a tokenizer that makes much of it',
    reads(18, 3_000, 'prose', 'code', 'json', 'digits'),
    { letters: 2.6, digits: 1, signs: 1, frame: 25 },
  ],
  ['digits for which a token each is taken', reads(16, 2_000, 'digits', 'code'), { ...plain, digits: 1 }],
  [
    'one large file behind small ones',
    [...reads(6, 300, 'prose'), ...reads(2, 12_000, 'json'), ...reads(8, 300, 'code')],
    plain,
  ],
])('a forecast of a trim is within 5 %% of what the provider then counts: %s', (_name, files, tokenizer) => {
  const state = played(files, tokenizer);
  const now = state.lastAt + 3_600_000;
  const text = 'And now go on with the next one.';
  const fixed = { usedAt: 0, tokens: fixedTokens(state, tokenizer) };
  const moment = { model, price: null, now, window: 6, rule: 'due', compacts: false, marks: false, fixed } as const;
  const seen = forecast(state, text, moment);
  const said = applyEvent(state, { seq: state.lastSeq + 1, at: now, event: message(text) });
  const counted = sentTokens(trimmed(said, now), tokenizer);
  expect({ plan: seen.plan, near: Math.abs(seen.prompt / counted - 1) < 0.05 }).toEqual({ plan: 'trim', near: true });
});

test('a trim before, whose results are gone, is counted in: the newest prompt still adds up, block by block', () => {
  const first = trimmed(played(reads(14, 3_000, 'code', 'json'), plain), 9_000_000);
  const state = again(first, reads(8, 2_000, 'prose', 'digits'), plain);
  const measured = measurePrompt(state, fixedTokens(state, plain));
  const whole = blockTokens(state, plain);
  expect(measured?.blocks).toHaveLength(whole.length);
  const off = measured?.blocks.map(({ tokens }, i) => Math.abs(tokens - (whole[i] ?? 0))) ?? [];
  // The newest result was not sent yet: nobody has counted it.
  expect(Math.max(...off.slice(0, -1))).toBeLessThan(100);
});

test('behind a summary that nothing was sent with yet, nothing adds up: what was reported before is of another prompt', () => {
  const state = played(reads(9, 2_000, 'code'), plain);
  const answers = state.items.filter((item) => item.kind === 'answer');
  const compacted: SessionEvent = {
    kind: 'context.compacted',
    turnId: turn.turnId,
    reason: 'asked',
    throughSeq: answers[5]?.seq ?? 0,
    summary: 'In short: files were read.',
    summaryRequestId: 'req_s' as RequestId,
    usage: { uncached: 9_000, cacheRead: 0, cacheWrite: 0, output: 350, reported: true },
    predicted: { prompt: 0, after: 0, facts: 0 },
  };
  const after = applyEvent(state, { seq: state.lastSeq + 1, at: state.lastAt + 1, event: compacted });
  expect(after.requests).toHaveLength(3);
  expect(measurePrompt(after, fixedTokens(after, plain))).toBeUndefined();
  const sent = again(after, reads(2, 500, 'prose'), plain);
  const counted = fixedTokens(sent, plain) + blockTokens(sent, plain).reduce((sum, size) => sum + size, 0);
  expect(Math.abs((measurePrompt(sent, fixedTokens(sent, plain))?.tokens ?? 0) / counted - 1)).toBeLessThan(0.02);
});
