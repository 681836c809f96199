import { expect, test } from '@jest/globals';
import { clearableInput, clearedInput, clearedResult } from '@zerd/core/context/cleared';
import { expectedRead } from '@zerd/core/context/relieve/expected-read';
import { measuredEvent } from '@zerd/core/context/relieve/measure-trim';
import { planRelief, type TrimPlan } from '@zerd/core/context/relieve/plan-relief';
import { plannerModel } from '@zerd/core/context/relieve/planner-model';
import { viewSession } from '@zerd/core/context/relieve/session-view';
import { classOf, fitRates, noBytes, tokensOf, usualRates } from '@zerd/core/context/relieve/token-rates';
import { trimEvent } from '@zerd/core/context/relieve/trim-event';
import { renderPrompt } from '@zerd/core/context/render';
import { isVisible, visibleResults } from '@zerd/core/context/visible';
import { findModel } from '@zerd/core/model/catalog';
import { applyEvent, foldSession } from '@zerd/core/session/fold';
import type { SessionState } from '@zerd/core/session/state';
import { toolInputs } from '@zerd/core/tools/declarations';
import type { AssistantBlock, SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId } from '@zerd/protocol/common/ids';
import type { Usage } from '@zerd/protocol/common/usage';
import { created, log, message, request, turn } from '../../session/events.ts';

const model = plannerModel({ wire: 'anthropic', contextWindow: 200_000, maxOutput: 8_000, price: null, row: null });
const archiveId = '1a2b3c4d5e6f7a8b' as ArchiveId;
/** The id of what step i brought, as an archive would give it. */
function idOf(i: number): ArchiveId {
  return `${i.toString(16).padStart(2, '0')}2b3c4d5e6f7a8b` as ArchiveId;
}

const source = '  const value = compute(first, second);\n';

interface Step {
  readonly name?: string;
  readonly input?: object;
  readonly shown?: string;
  readonly outcome?: 'ok' | 'failed';
  readonly leansOn?: readonly string[];
}

/** One call a request; each prompt is a byte in four longer. Step n is call `cn` of `req_n`, from 1. */
function session(steps: readonly Step[], usage?: Partial<Usage>): readonly SessionEvent[] {
  let bytes = 8_000;
  const events = steps.flatMap((step, i): readonly SessionEvent[] => {
    const { name = 'read', input = { path: `f${i}.ts` }, shown = source.repeat(100), outcome = 'ok', leansOn } = step;
    const callId = `c${i + 1}` as CallId;
    const block: AssistantBlock = { kind: 'toolCall', callId, name, inputJson: JSON.stringify(input) };
    const prompt = Math.round(bytes / 4);
    bytes += shown.length + block.inputJson.length + 120;
    const paid: Usage = { uncached: 0, cacheRead: prompt - 100, cacheWrite: 100, output: 9, reported: true, ...usage };
    const requestId = `req_${i + 1}` as RequestId;
    const { turnId } = turn;
    return [
      request(requestId),
      {
        kind: 'assistant.finished',
        requestId,
        turnId,
        content: [block],
        stopReason: 'toolUse',
        usage: paid,
        costPico: null,
      },
      {
        kind: 'toolCall.finished',
        turnId,
        callId,
        outcome,
        shown,
        archiveId: idOf(i),
        bytes: shown.length,
        durationMs: 1,
        ...(leansOn === undefined ? {} : { leansOn: leansOn.map((id) => id as CallId) }),
      },
    ];
  });
  return [{ ...created, system: 'A short system text. '.repeat(380) }, turn, message('Go'), ...events];
}

const stateOf = (events: readonly SessionEvent[]) => foldSession(log(...events));
const viewed = (state: SessionState, now = state.lastAt) =>
  viewSession(state, { model, now, window: 6, compacts: false });

function trimNow(state: SessionState): { readonly event: SessionEvent; readonly plan: TrimPlan } {
  const { view, parts } = viewed(state, state.lastAt + 3_600_000);
  const plan = planRelief(view);
  if (plan.kind !== 'trim') throw new Error(`not trimmed: ${plan.reason}`);
  const archived = new Map(plan.inputs.map((callId) => [callId, archiveId]));
  const event = trimEvent({ plan, parts, turnId: turn.turnId, archived, endsReasoning: false });
  if (event === undefined) throw new Error('no event');
  return { event, plan };
}

test('sizes add up to the prompt that the provider reported, and the newest request grew from it', () => {
  const { view } = viewed(stateOf(session(Array.from({ length: 9 }, () => ({})))));
  const before = view.requests.slice(0, -1);
  const guess = before.reduce(
    (sum, { before: own, answer, calls }) =>
      sum + own + answer + calls.reduce((all, call) => all + call.input + call.result, 0),
    view.fixed,
  );
  expect(guess).toBeCloseTo(view.requests.at(-1)?.prompt ?? 0, 6);
  expect(view.requests.map(({ entry }) => entry)).toEqual(Array.from({ length: 9 }, () => true));
});

test('cold is what the log says: an idle hour, another model, a cache that was never reported; a restart is none', () => {
  const state = stateOf(session([{}, {}, {}]));
  const prompt = (state.lastRequest?.usage.cacheRead ?? 0) + 100;
  expect(expectedRead(state, model, state.lastAt)).toBe(prompt);
  expect(expectedRead(state, model, state.lastAt + 299_000)).toBe(prompt);
  expect(expectedRead(state, model, state.lastAt + 301_000)).toBe(0);
  expect(expectedRead({ ...state, model: 'other/big' }, model, state.lastAt)).toBe(0);
  expect(expectedRead(state, { ...model, minPrefix: 1_000_000 }, state.lastAt)).toBe(0);
  const silent = stateOf(session([{}, {}], { uncached: 5_000, cacheRead: 0, cacheWrite: 0 }));
  expect(expectedRead(silent, model, silent.lastAt)).toBe(0);
  expect(expectedRead(stateOf([created]), model, 0)).toBe(0);
});

test('a failed request pays no rent, and a change of model starts it anew', () => {
  const events = session(Array.from({ length: 9 }, () => ({})));
  const { turnId } = turn;
  const failure = { code: 'provider_failed', message: 'no' };
  const failed: SessionEvent = { kind: 'request.failed', requestId: 'req_10' as RequestId, turnId, failure };
  const rent = (more: readonly SessionEvent[]) => planRelief(viewed(stateOf([...events, ...more])).view).figures.rent;
  expect(rent([request('req_10'), failed])).toBeCloseTo(rent([]), 6);
  expect(rent([])).toBeGreaterThan(0);
  expect(rent([{ kind: 'model.changed', model: 'other/big' }])).toBe(0);
});

test('I5: what a visible pointer leans on is as young as the pointer, and stays visible with it', () => {
  const steps: Step[] = Array.from({ length: 12 }, () => ({}));
  steps[9] = { shown: '[same as call 1, above; archive 1a2b3c4d5e6f]', leansOn: ['c1'] };
  const state = stateOf(session(steps));
  const { event, plan } = trimNow(state);
  expect(plan.results).toEqual(['c2', 'c3', 'c4', 'c5', 'c6']);
  const after = applyEvent(state, { seq: state.lastSeq + 1, at: state.lastAt, event });
  const results = visibleResults(after);
  expect(['c1', 'c2', 'c10', 'c12'].map((id) => isVisible(results, id as CallId))).toEqual([true, false, true, true]);
});

test('protected in a session: the file under work, the failing run, and what was recalled after a trim', () => {
  const steps: Step[] = Array.from({ length: 10 }, () => ({}));
  steps[0] = { input: { path: 'work.ts' } };
  steps[1] = { name: 'shell', input: { command: 'npm test' }, outcome: 'failed' };
  steps[8] = { name: 'edit', input: { path: 'work.ts', old: 'a', new: 'b' }, shown: 'ok' };
  const state = stateOf(session(steps));
  const first = trimNow(state);
  expect(first.plan.results).toEqual(['c3', 'c4']);
  const recalled: Step = { name: 'recall', input: { id: idOf(2).slice(0, 12) } };
  const events = [...session(steps), first.event];
  const more = session([...steps, recalled]).slice(-3);
  const again = viewed(stateOf([...events, ...more])).view.requests.at(-1)?.calls[0];
  expect(again?.protectedUntil).toBe(10 + 12 + 1);
});

test('the event of a trim says enough: the next prompt shows stubs, a note behind all, and smaller by what was predicted', () => {
  const write: Step = { name: 'write', input: { path: 'new.ts', content: source.repeat(40) }, shown: 'written' };
  const state = stateOf(session([{}, write, ...Array.from({ length: 8 }, () => ({}))]));
  const { event, plan } = trimNow(state);
  expect(plan).toMatchObject({ results: ['c1', 'c3', 'c4'], inputs: ['c2'], reason: 'the cache is cold' });
  expect(event).toMatchObject({
    kind: 'context.trimmed',
    calls: ['c1', 'c3', 'c4'],
    inputs: [{ callId: 'c2', archiveId }],
    keptFrom: 'req_5',
    predicted: { read: 0, rewritten: 0 },
    note: [
      '<system-reminder>',
      'To save tokens, older results above now show only their beginning and end. Do not guess the rest: recall it by id, or read the file again, when you need it.',
      '- read f0.ts: 101 lines, 002b3c4d5e6f',
      '- read f2.ts: 101 lines, 022b3c4d5e6f',
      '- read f3.ts: 101 lines, 032b3c4d5e6f',
      '</system-reminder>',
    ].join('\n'),
  });
  const after = applyEvent(state, { seq: state.lastSeq + 1, at: state.lastAt, event });
  const bytes = (of: SessionState) => JSON.stringify(renderPrompt(of, 'key')).length;
  const cut = (bytes(state) - bytes(after)) / 4;
  expect(Math.abs(cut - plan.figures.cut) / cut).toBeLessThan(0.1);
  expect(viewed(after).view.resetAt).toBe(10);
  // Trimmed once, there is nothing more to cut.
  expect(planRelief(viewed(after, after.lastAt + 3_600_000).view).figures.cut).toBe(0);
});

test('after a trim the answer behind it says what it came to, once', () => {
  const state = stateOf(session(Array.from({ length: 10 }, () => ({}))));
  const { event } = trimNow(state);
  const after = applyEvent(state, { seq: state.lastSeq + 1, at: state.lastAt, event });
  const usage: Usage = { uncached: 0, cacheRead: 2_000, cacheWrite: 8_000, output: 1, reported: true };
  const answered = { turnId: turn.turnId, requestId: 'req_11' as RequestId, usage };
  const costKept = event.kind === 'context.trimmed' ? event.predicted.costKept : 0;
  const measured = measuredEvent(after, answered, model);
  expect(measured).toMatchObject({ kind: 'context.measured', prompt: 10_000, read: 2_000, saved: costKept - 10_200 });
  expect(measuredEvent(state, answered, model)).toBeUndefined();
  expect(measuredEvent(after, { ...answered, usage: { ...usage, reported: false } }, model)).toBeUndefined();
  const told =
    measured === undefined ? after : applyEvent(after, { seq: after.lastSeq + 1, at: after.lastAt, event: measured });
  expect(measuredEvent(told, answered, model)).toBeUndefined();
});

test.each([
  ['write', { path: 'a.ts', content: source.repeat(20) }],
  ['edit', { path: 'a.ts', old: source.repeat(20), new: 'short', all: true }],
] as const)('cut arguments of %s fit its schema, keep what is short and name the archived text', (name, input) => {
  const json = JSON.stringify(input);
  expect(clearableInput(name, json)).toBe(source.repeat(20));
  const cut = JSON.parse(clearedInput(name, json, archiveId)) as Record<string, unknown>;
  expect(toolInputs[name].safeParse(cut).success).toBe(true);
  expect(cut).toEqual({
    ...input,
    [name === 'write' ? 'content' : 'old']: '[800 bytes cleared; archive 1a2b3c4d5e6f]',
  });
});

test('what is short stays as it is: results, arguments, calls without text, arguments that are no JSON', () => {
  expect(clearedResult('x'.repeat(310), archiveId)).toBe('x'.repeat(310));
  expect(clearableInput('write', '{"path":"a","content":"short"}')).toBeUndefined();
  expect(clearableInput('shell', JSON.stringify({ command: 'x'.repeat(900) }))).toBeUndefined();
  expect(clearableInput('write', '{"path"')).toBeUndefined();
});

test('bytes a token: the class by its signs, the rate by what the provider reports', () => {
  expect(
    [source, 'A plain sentence about things.', '{"a":["b","c"],"d":{"e":"f"}}', '4f2a9 12:30:11 99182 0x77'].map(
      classOf,
    ),
  ).toEqual(['code', 'prose', 'json', 'dense']);
  const bytes = { ...noBytes, code: 9_000 };
  const fitted = fitRates(Array.from({ length: 20 }, () => ({ bytes, tokens: 4_500 })));
  expect(tokensOf(bytes, fitted)).toBeGreaterThan(4_300);
  expect(fitted.prose).toBe(usualRates.prose);
  expect(fitRates([{ bytes, tokens: 3 }])).toEqual(usualRates);
});

test('a model in the planner: prices as shares, the edge of a tier, what binds, how long its cache lives', () => {
  const haiku = findModel('anthropic', 'claude-haiku-5-5');
  const facts = { wire: 'anthropic', contextWindow: 1_000_000, maxOutput: 32_000 } as const;
  expect(plannerModel({ ...facts, price: haiku?.price ?? null, row: haiku })).toEqual({
    read: 0.1,
    write: 1.25,
    output: 5,
    cache: { kind: 'marks' },
    minPrefix: 1_024,
    bindsReasoning: true,
    cacheMs: 300_000,
    ceiling: 95_000,
  });
  const sol = findModel('openai', 'gpt-6.2-sol');
  expect(plannerModel({ ...facts, wire: 'responses', price: sol?.price ?? null, row: sol })).toMatchObject({
    read: 0.05,
    cache: { kind: 'prefix', step: 128 },
    bindsReasoning: true,
    cacheMs: 1_800_000,
  });
  expect(plannerModel({ ...facts, wire: 'chat', price: null, row: null })).toMatchObject({ read: 0.1, write: 1 });
});
