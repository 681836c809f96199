import { expect, test } from '@jest/globals';
import { mayCompact } from '@zerd/core/context/compact/allowed';
import { factsBytes, recordBytes } from '@zerd/core/context/compact/budget';
import { composeSummary, mostProseBytes } from '@zerd/core/context/compact/compose';
import { cutPoint } from '@zerd/core/context/compact/cut-point';
import { freshPrompt, warmInstruction, warmPrompt } from '@zerd/core/context/compact/instruction';
import { machineFacts } from '@zerd/core/context/compact/machine-facts';
import { planCompaction } from '@zerd/core/context/compact/plan';
import { proseOf } from '@zerd/core/context/compact/prose';
import { nextRecord, wholeRecord } from '@zerd/core/context/compact/record';
import { plannerModel, type RelievedModel } from '@zerd/core/context/relieve/planner-model';
import { renderPrompt } from '@zerd/core/context/render';
import { isVisible, visibleResults } from '@zerd/core/context/visible';
import { noCompactions } from '@zerd/core/session/compactions';
import { foldSession } from '@zerd/core/session/fold';
import { utf8Length } from '@zerd/core/text/utf8';
import type { AssistantBlock, LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import {
  assistant,
  call,
  compactedThrough,
  created,
  finished,
  log,
  message,
  request,
  turn,
} from '../../session/events.ts';
import { moves, tell } from '../stories.ts';
import { read, sessionOf, shell } from './sessions.ts';

const answered = (n: number): readonly SessionEvent[] => [assistant(`req_${n}`, call(`c${n}`)), finished(`c${n}`)];
const tenRequests = [created, turn, message('go'), ...Array.from({ length: 10 }, (_, i) => answered(i + 1)).flat()];

test.each<[string, readonly SessionEvent[], number, ReturnType<typeof cutPoint>]>([
  ['the last six requests stay', tenRequests, 6, { throughSeq: 11, kept: 6, unseenAfter: undefined }],
  [
    'with fewer there is nothing to replace',
    tenRequests.slice(0, 7),
    6,
    { throughSeq: 0, kept: 2, unseenAfter: undefined },
  ],
  [
    'a message right in front of what stays, stays',
    [...tenRequests.slice(0, 5), message('then'), ...answered(2)],
    1,
    { throughSeq: 5, kept: 1, unseenAfter: undefined },
  ],
  ['nothing stays: the newest results were never sent', tenRequests, 0, { throughSeq: 23, kept: 0, unseenAfter: 22 }],
  [
    'a message that no request has carried is never replaced',
    [...tenRequests, assistant('req_11', { kind: 'text', text: 'Done.' }), message('now this')],
    0,
    { throughSeq: 24, kept: 0, unseenAfter: undefined },
  ],
  ['nothing was answered', [created, turn, message('go')], 0, { throughSeq: 0, kept: 0, unseenAfter: undefined }],
])('where a compaction cuts: %s', (_name, story, keep, expected) => {
  expect(cutPoint(foldSession(log(...story)), keep)).toEqual(expected);
});

test.each([
  ['at first', {}, true],
  ['after two short lives', { made: [10, 12], answered: 13 }, true],
  ['when three in a row did not last three requests', { made: [10, 12, 15], answered: 16 }, false],
  ['for ten requests', { made: [10, 12, 15], answered: 24 }, false],
  ['and then again', { made: [10, 12, 15], answered: 25 }, true],
  ['when one of the three lasted', { made: [10, 14, 15], answered: 16 }, true],
  ['not right after one that failed', { made: [], triedAt: 20, answered: 22 }, false],
  ['ten requests after one that failed', { made: [], triedAt: 20, answered: 30 }, true],
  ['after one that was made at the last try', { made: [20], triedAt: 20, answered: 22 }, true],
])('a summary may be made %s', (_name, some, expected) => {
  expect(mayCompact({ ...noCompactions, ...some })).toBe(expected);
});

const said = (text: string): AssistantBlock => ({ kind: 'text', text });
test.each([
  ['words', [said('The parser is done; the tests are left.')], 'end', 'The parser is done; the tests are left.'],
  ['words that reached the output limit', [said('The parser is done; the')], 'maxTokens', 'The parser is done; the'],
  ['P112: nothing', [said(' \n ')], 'end', undefined],
  ['P112: reasoning alone', [{ kind: 'opaque', wire: 'anthropic', json: '{}' } as AssistantBlock], 'end', undefined],
  ['a call beside words', [said('The parser is done; the tests are left.'), call('c1')], 'toolUse', undefined],
  ['a refusal', [said('I would rather not write about this.')], 'refusal', undefined],
] as const)('%s as a summary', (_name, content, stopReason, expected) => {
  const prose = proseOf({ content, stopReason });
  expect(prose.kind === 'prose' ? prose.text : undefined).toBe(expected);
});

test('the request for a summary is the exact prompt and one text behind it, and marks nothing new', () => {
  const prompt = renderPrompt(foldSession(log(...tenRequests)), 'key');
  const warm = warmPrompt(prompt);
  const flat = ({ messages }: typeof prompt) => messages.flatMap(({ role, blocks }) => blocks.map((b) => [role, b]));
  expect(flat(warm)).toEqual([...flat(prompt), ['user', { kind: 'text', text: warmInstruction }]]);
  expect({ ...warm, messages: [], marks: [] }).toEqual({ ...prompt, messages: [], marks: [] });
  expect(warm.marks).toEqual(prompt.marks.slice(0, -1));
  const ended = renderPrompt(foldSession(log(...tenRequests, assistant('req_11', said('Done.')))), 'key');
  expect(warmPrompt(ended).messages.at(-1)).toEqual({
    role: 'user',
    blocks: [{ kind: 'text', text: warmInstruction }],
  });
  expect(warmPrompt(ended).marks).toEqual(ended.marks);
});

test('parts of a record follow each other without a gap, each within its bytes (P110)', () => {
  fc.assert(
    fc.property(moves, fc.integer({ min: 400, max: 3_000 }), (story, bytes) => {
      const { events } = tell(story);
      const through = events.length;
      const calls = new Set(visibleCalls(wholeRecord(events, through, 0)));
      let after = 0;
      for (let part = nextRecord(events, { after, through, bytes }); part; ) {
        expect(utf8Length(part.text)).toBeLessThanOrEqual(Math.max(bytes, 6_500));
        expect(part.through).toBeGreaterThan(after);
        for (const number of visibleCalls(part.text)) calls.delete(number);
        after = part.through;
        part = nextRecord(events, { after, through, bytes });
      }
      expect([...calls]).toEqual([]);
    }),
  );
});

function visibleCalls(text: string): readonly string[] {
  return [...text.matchAll(/^CALL (\d+) /gm)].map(([, number]) => number ?? '');
}

test('one result of 1.9 million characters does not make a compaction impossible', () => {
  const events = sessionOf({ say: 'Go' }, shell('cat bundle.js', 'x'.repeat(1_900_000)), read('a.ts', 'A BODY'));
  const part = nextRecord(events, { after: 0, through: events.length, bytes: 10_000 });
  expect(part?.through).toBe(events.length);
  expect(utf8Length(part?.text ?? '')).toBeLessThan(4_000);
  expect(part?.text).toContain('A BODY');
});

test('a summary names the calls that are gone, keeps the facts whole and bounds the prose', () => {
  const archiveId = '1a2b3c4d5e6f7a8b' as ArchiveId;
  const text = composeSummary({
    ...{ facts: 'FACTS', prose: ` ${'p'.repeat(50_000)}`, replacedBytes: 400_000, calls: 12, archiveId },
  });
  expect(text).toContain('\n\nFACTS\n\n');
  expect(text).toContain('Calls 1 to 12');
  expect(text).toContain('recall {"id":"1a2b3c4d5e6f"}');
  expect(utf8Length(text)).toBeLessThan(mostProseBytes + 1_500);
  const short = composeSummary({
    ...{ facts: 'F'.repeat(1_000), prose: 'words\n'.repeat(9_000), replacedBytes: 6_000, calls: 2, archiveId },
  });
  expect(utf8Length(short)).toBeLessThan(6_000 + 800);
});

test('P018: what a compaction replaced is no longer visible, so nothing points at it', () => {
  const state = foldSession(log(...tenRequests, compactedThrough(11)));
  const results = visibleResults(state);
  expect(isVisible(results, 'c4' as CallId)).toBe(false);
  expect(isVisible(results, 'c5' as CallId)).toBe(true);
  expect(results.get('c5' as CallId)?.number).toBe(5);
});

test('what is kept takes half the ceiling at most, less where the rest is large; a record a part of the window', () => {
  const replaced = 100_000;
  expect(factsBytes({ ceiling: 180_000, taken: 10_000, replaced, messages: 1_000 })).toBe(18_000);
  expect(factsBytes({ ceiling: 180_000, taken: 10_000, replaced, messages: 500_000 })).toBe(48_000);
  expect(factsBytes({ ceiling: 20_000, taken: 6_000, replaced, messages: 1_000 })).toBe(12_000);
  expect(factsBytes({ ceiling: 20_000, taken: 12_000, replaced, messages: 1_000 })).toBe(0);
  expect(factsBytes({ ceiling: 180_000, taken: 10_000, replaced: 2_000, messages: 1_000 })).toBe(6_000);
  expect([recordBytes(200_000, 20_000), recordBytes(32_000, 8_000), recordBytes(null, 8_000)]).toEqual([
    216_000, 28_800, 28_800,
  ]);
});

const sonnet: RelievedModel = {
  ...plannerModel({ wire: 'anthropic', contextWindow: 200_000, maxOutput: 20_000, price: null, row: null }),
};
const usage = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 9, reported: true };
const grown = log(
  created,
  turn,
  message('go'),
  ...Array.from({ length: 10 }, (_, n) => [
    request(`req_${n}`),
    { ...assistant(`req_${n}`, call(`c${n}`)), usage: { ...usage, cacheWrite: 1_000 + 1_800 * n } },
    finished(`c${n}`, { shown: 'a line of output\n'.repeat(400) }),
  ]).flat(),
);

test.each<[string, Partial<RelievedModel>, object, object]>([
  ['the last six requests stay', {}, {}, { kind: 'compact', cut: { kept: 6 } }],
  [
    'nothing stays where a model binds its reasoning',
    { bindsReasoning: true },
    {},
    { kind: 'compact', cut: { kept: 0 } },
  ],
  ['fewer stay where six are too much', { ceiling: 22_000 }, {}, { kind: 'compact', cut: { kept: 2 } }],
  ['nothing stays when the window cut the answer itself', {}, { all: true }, { kind: 'compact', cut: { kept: 0 } }],
  ['a refused prompt is not sent again with more behind it', {}, { overflow: true }, { kind: 'compact', warm: false }],
  ['what the provider holds is asked behind', {}, {}, { kind: 'compact', warm: true }],
  ['after five minutes the cache is cold', {}, { now: 400_000 }, { kind: 'compact', warm: false }],
])('how a session is compacted: %s', (_name, model, moment, expected) => {
  const usual = { model: { ...sonnet, ...model }, now: 2_000, overflow: false, all: false, messages: 2 };
  expect(planCompaction(foldSession(grown), { ...usual, ...moment })).toMatchObject(expected);
});

test('P108: a floor that leaves no room for a summary is told', () => {
  const events = log(
    { ...created, system: 'words of the rules '.repeat(1_500) },
    ...grown.slice(1).map(({ event }) => event),
  );
  const moment = { model: { ...sonnet, ceiling: 10_000 }, now: 2_000, overflow: false, all: false, messages: 2 };
  expect(planCompaction(foldSession(events), moment)).toEqual({
    kind: 'noRoom',
    floor: expect.any(Number),
    ceiling: 10_000,
  });
});

test('a session in which nothing was answered has nothing to compact', () => {
  const moment = { model: sonnet, now: 2_000, overflow: false, all: false, messages: 2 };
  expect(planCompaction(foldSession(log(created, turn, message('go'))), moment)).toEqual({ kind: 'nothing' });
});

test('what is less than a summary takes is not compacted, and an earlier summary is not summed up for nothing', () => {
  const moment = { model: sonnet, now: 2_000, overflow: false, all: false, messages: 2 };
  const plan = (...events: readonly SessionEvent[]) => planCompaction(foldSession(log(...events)), moment);
  expect(plan(...tenRequests)).toEqual({ kind: 'nothing' });
  const summary = 'a line that was kept\n'.repeat(1_600);
  const tokens = { uncached: 0, cacheRead: 0, cacheWrite: 9_000, output: 9, reported: true };
  const seven = (from: number) =>
    Array.from({ length: 7 }, (_, i) => answered(from + i)).flatMap(([said, result]) => [
      ...(said?.kind === 'assistant.finished' && result ? [{ ...said, usage: tokens }, result] : []),
    ]);
  const before = [created, turn, message('go'), ...seven(1)];
  const again = [...before, compactedThrough(before.length, summary), ...seven(8)];
  expect(plan(...again)).toEqual({ kind: 'nothing' });
  const above = { ...moment, model: { ...sonnet, ceiling: 8_000 } };
  expect(planCompaction(foldSession(log(...again)), above)).toMatchObject({ kind: 'compact' });
});

test('notes and steps have room of their own in a summary, and one that would only repeat them is not made (P106)', () => {
  const moment = { model: sonnet, now: 2_000, overflow: false, all: false, messages: 2 };
  const remembering = (events: readonly LoggedEvent[]) => [
    ...events,
    ...[
      { kind: 'notes.changed' as const, by: 'model' as const, notes: { goal: 'g'.repeat(3_900) } },
      { kind: 'todo.changed' as const, by: 'model' as const, list: `[ ] ${'t'.repeat(3_896)}` },
    ].map((event, i) => ({ seq: events.length + 1 + i, at: 1, event })),
  ];
  const without = planCompaction(foldSession(grown), moment);
  const plan = planCompaction(foldSession(remembering(grown)), moment);
  if (plan.kind !== 'compact' || without.kind !== 'compact') throw new Error('no compaction');
  expect(plan.bytes).toBeGreaterThanOrEqual(7_800 + 1_500);
  expect(plan.bytes).toBeLessThanOrEqual(without.bytes + 7_806);
  const events = remembering(grown);
  const facts = machineFacts(events, { ...plan.cut, bytes: plan.bytes, archiveId: undefined });
  expect(facts).toContain(`Goal: ${'g'.repeat(3_900)}`);
  expect(facts).toContain(`[ ] ${'t'.repeat(3_896)}`);
  // Some 2,000 tokens could go: enough for a summary, but not for one that repeats 2,600 of its own.
  const small = { ...moment, model: { ...sonnet, bindsReasoning: true } };
  const short = log(created, turn, message('go '.repeat(300)), request('req_1'), assistant('req_1', call('c1')));
  const some = [...short, { seq: 6, at: 6, event: finished('c1', { shown: 'a line of output\n'.repeat(600) }) }];
  expect(planCompaction(foldSession(some), small).kind).toBe('compact');
  expect(planCompaction(foldSession(remembering(some)), small).kind).toBe('nothing');
});

test('a prompt of its own has the record as data, no tools, and the words before it', () => {
  const { system, tools, messages } = freshPrompt('RECORD', 'BEFORE', 'key');
  const texts = messages.flatMap(({ blocks }) => blocks.map((block) => ('text' in block ? block.text : '')));
  expect({ tools, roles: messages.map(({ role }) => role), follows: system.includes('data') }).toEqual({
    tools: [],
    roles: ['user'],
    follows: true,
  });
  expect(texts.map((text) => text.split('\n\n').at(-1))).toEqual(['BEFORE', 'RECORD', expect.any(String)]);
});
