/** One request: recorded, judged, answered by the player, weighed, and written as the faults allow. */
import type { ServerResponse } from 'node:http';
import { spoilStep } from '../faults/content.ts';
import { type Fault, type FaultRules, listed } from '../faults/fault.ts';
import { closed, perform, performWhole } from '../faults/perform.ts';
import { planStream } from '../faults/plan.ts';
import { badKey, errorRefusal, overflowRefusal, type Refusal, refusalOf } from '../faults/refusal.ts';
import { type Diagnoser, responseIdOf } from '../judge/diagnose.ts';
import type { Player, Step } from '../players/player.ts';
import { type Answer, type AnswerUsage, makeAnswer } from '../speak/answer.ts';
import type { WhenBegun } from '../weigh/anthropic-cache.ts';
import { billOf } from '../weigh/bill.ts';
import type { WeighedRequest, Weigher } from '../weigh/weigh.ts';
import type { VirtualClock } from './clock.ts';
import { judgeRequest } from './judge-request.ts';
import type { GatewayMemory } from './memory.ts';
import { type ModelFacts, pricesOf } from './models.ts';
import type { RecordedRequest } from './record.ts';
import type { WireRow } from './wires.ts';

export interface House {
  readonly player: Player;
  readonly weigher: Weigher;
  readonly clock: VirtualClock;
  readonly memory: GatewayMemory;
  readonly diagnoser: Diagnoser;
  readonly rules: () => FaultRules;
  readonly modelOf: (name: string) => ModelFacts | undefined;
  /** Accepts what the provider would, where the house asks for more. */
  readonly lenient: boolean;
  /** How often each step's own fault has struck already. */
  readonly struck: Map<Step, number>;
}

export interface Exchange {
  readonly row: WireRow;
  readonly record: RecordedRequest;
  readonly weighed: WeighedRequest;
  readonly response: ServerResponse;
}

export async function handleExchange(house: House, exchange: Exchange): Promise<void> {
  const { record, response } = exchange;
  const ruled = house.rules().strike(record.n);
  const refusal = refusalOf(ruled, exchange.row.dialect) ?? judge(house, exchange);
  if (isDead(ruled)) return stayDead(ruled, response);
  if (refusal !== undefined) return refuse(exchange, refusal);
  const step = house.player(record.conversation, house.memory.of(record.conversation));
  record.step = step;
  const faults = [...ruled, ...stepFaults(house, step)];
  const stepRefusal = refusalOf(faults, exchange.row.dialect);
  if (isDead(faults)) return stayDead(faults, response);
  if (stepRefusal !== undefined) return refuse(exchange, stepRefusal);
  await answer(house, exchange, spoilStep(step, faults), faults);
}

function judge(house: House, { row, record, weighed }: Exchange): Refusal | undefined {
  const { headers, tokens } = record;
  const { dialect } = row;
  if (headers.authorization === undefined && headers['x-api-key'] === undefined) {
    return badKey(dialect, dialect === 'anthropic' ? 'x-api-key header is required' : "You didn't provide an API key.");
  }
  const verdict = judgeRequest(record, row.judge, house.memory.issued, house.modelOf);
  if (verdict !== undefined && !(house.lenient && verdict.stricter === true)) return errorRefusal(dialect, verdict);
  const window = house.modelOf(weighed.model)?.window ?? Number.POSITIVE_INFINITY;
  return tokens.total > window ? overflowRefusal(dialect, tokens.total, window) : undefined;
}

const deadKinds: readonly string[] = ['no-answer', 'headers-only', 'reset'];

function isDead(faults: readonly Fault[]): boolean {
  return faults.some((fault) => deadKinds.includes(fault.kind));
}

async function stayDead(faults: readonly Fault[], response: ServerResponse): Promise<void> {
  if (faults.some((fault) => fault.kind === 'reset')) response.socket?.destroy();
  if (faults.some((fault) => fault.kind === 'headers-only'))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  await closed(response);
}

async function refuse({ record, response }: Exchange, refusal: Refusal): Promise<void> {
  record.status = refusal.status;
  record.refusal = refusal.body;
  await performWhole(response, refusal.status, refusal.headers, refusal.body);
}

function stepFaults(house: House, step: Step): readonly Fault[] {
  const faults = listed(step.fault);
  const before = house.struck.get(step) ?? 0;
  if (faults.length === 0 || before >= (step.faultTimes ?? 1)) return [];
  house.struck.set(step, before + 1);
  return faults;
}

async function answer(house: House, exchange: Exchange, step: Step, faults: readonly Fault[]): Promise<void> {
  const { row, record, response, weighed } = exchange;
  house.clock.advance(step.advanceMs ?? 0);
  const writes: (() => void)[] = [];
  const usage = charge(house, exchange, step, (write) => writes.push(write));
  const diagnosis = house.diagnoser.diagnose(weighed, record.cache?.read ?? 0);
  house.diagnoser.keep(responseIdOf(row.wire, record.n), weighed);
  const said = makeAnswer(step, {
    n: record.n,
    model: weighed.model,
    created: Math.floor(house.clock.now() / 1000),
    usage,
    ...(diagnosis === undefined ? {} : { diagnosis }),
    includeUsage: row.wantsUsage(record.body),
    idPrefix: row.idPrefix,
  });
  house.memory.issue(said, row.items(said));
  record.status = 200;
  await step.begins;
  for (const write of writes) write();
  record.delivered = await speak(exchange, said, faults);
  if (!record.delivered && !response.destroyed && !response.writableEnded) response.destroy();
  if (!record.delivered) rebill(house, exchange);
  if (record.delivered && step.aside !== true) house.memory.delivered(record.conversation);
}

/** Weighs the request against the cache; what is reported may be another thing. */
function charge(
  house: House,
  { row, record, weighed }: Exchange,
  step: Step,
  whenBegun: WhenBegun,
): AnswerUsage | null {
  const share = house.weigher.charge(weighed, house.clock.now(), row.partition(record.headers), whenBegun);
  const reasoning = house.weigher.countText(step.reasoning ?? '');
  const calls = (step.calls ?? []).map((call) => call.name + (call.inputText ?? JSON.stringify(call.input ?? {})));
  const output =
    reasoning +
    house.weigher.countText(step.text ?? '') +
    calls.reduce((sum, call) => sum + tokensOfCall(house, call), 0);
  record.cache = { read: share.read, write: share.write, write1h: share.write1h, uncached: share.uncached };
  record.output = output;
  bill(house, row, record);
  if (step.usage === 'none') return null;
  const real = {
    uncached: share.uncached,
    cacheRead: share.read,
    cacheWrite: share.write,
    cacheWrite1h: share.write1h,
    output,
    reasoning,
  };
  const { read, write, uncached } = share;
  const hidden = house.modelOf(weighed.model)?.hidesCache === true;
  const said = hidden ? { uncached: uncached + read + write, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 } : {};
  return { ...real, ...said, ...step.usage };
}

function bill(house: House, { wire }: WireRow, record: RecordedRequest): void {
  if (record.cache === null) return;
  const facts = house.modelOf(record.conversation.model);
  const { read, write, uncached } = record.cache;
  const told =
    facts?.hidesCache === true ? { read: 0, write: 0, write1h: 0, uncached: read + write + uncached } : record.cache;
  record.billPico = billOf({ ...told, output: record.output }, pricesOf(facts, wire));
}

/** Of an answer that was cut only the beginning is charged, as it was told. */
function rebill(house: House, { row, record }: Exchange): void {
  record.output = Math.min(record.output, 1);
  bill(house, row, record);
}

/** Inputs of megabytes are faults, not work: they are estimated. */
function tokensOfCall(house: House, text: string): number {
  return text.length > 1_000_000 ? Math.ceil(text.length / 4) : house.weigher.countText(text);
}

/** True: the client was handed the whole answer. */
async function speak({ row, record, response }: Exchange, said: Answer, faults: readonly Fault[]): Promise<boolean> {
  const headers = { 'request-id': `req_sim_${record.n}`, 'x-request-id': `req_sim_${record.n}` };
  if (!record.conversation.stream) {
    return performWhole(
      response,
      200,
      { ...headers, 'content-type': 'application/json' },
      JSON.stringify(row.whole(said)),
    );
  }
  const plan = planStream(row.stream(said), row.dialect, faults);
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  return (await perform(plan, response)) && plan.whole;
}
