/**
 * Starts the gateway: an HTTP server on 127.0.0.1 that speaks the wires, plays a player, weighs every request and
 * misbehaves on demand. Nothing leaves the machine and nothing is written to disk.
 */
import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFaultRules, type FaultRule } from '../faults/fault.ts';
import { performWhole } from '../faults/perform.ts';
import { errorRefusal } from '../faults/refusal.ts';
import { createDiagnoser } from '../judge/diagnose.ts';
import type { Player } from '../players/player.ts';
import { loadTokenizer } from '../weigh/tokens.ts';
import { totalsOf, type WeightTotals } from '../weigh/totals.ts';
import { createWeigher } from '../weigh/weigh.ts';
import { isObject, type Json } from '../wire.ts';
import { createVirtualClock, type GatewayClock } from './clock.ts';
import { type House, handleExchange } from './exchange.ts';
import { createMemory } from './memory.ts';
import { type Models, modelLookup, simModels } from './models.ts';
import { type RecordedRequest, withoutSecrets } from './record.ts';
import { rowOf, type WireRow } from './wires.ts';

export interface GatewayOptions {
  readonly player: Player;
  /** Default: one that is free. */
  readonly port?: number;
  readonly faults?: readonly FaultRule[];
  /** Default: the real time, moved by the steps' `advanceMs`. */
  readonly clock?: GatewayClock;
  /** Default: `sim`, window 200,000. */
  readonly models?: Models;
  /** Lifetime of cache entries; absent: they never expire. */
  readonly cacheTtlMs?: number;
  /** For agents other than zerd: accepts what the provider would, where the house asks for more. */
  readonly lenient?: boolean;
}

export interface Gateway {
  /** `http://127.0.0.1:PORT`: the base URL for the anthropic wire; responses and chat take it with `/v1`. */
  readonly origin: string;
  /** In order of arrival. Later fields of an entry are filled in while it is answered. */
  readonly requests: readonly RecordedRequest[];
  weights(): WeightTotals;
  /** All that was charged, in pico-dollars. */
  bill(): number;
  /** The provider loses its caches: all, or all behind the system text. */
  evict(what?: 'all' | 'messages'): void;
  /** Replaces the rules. */
  setFaults(rules: readonly FaultRule[]): void;
  /** Settles when request `n` (from 1) has arrived and was read. */
  received(n: number): Promise<RecordedRequest>;
  /** Cuts every connection and settles when the port is free. */
  close(): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  let rules = createFaultRules(options.faults ?? []);
  const modelOf = modelLookup(options.models ?? simModels);
  const house: House = {
    player: options.player,
    weigher: createWeigher(await loadTokenizer(), options.cacheTtlMs, (model) => modelOf(model)?.minPrefix),
    clock: createVirtualClock(options.clock),
    memory: createMemory(),
    diagnoser: createDiagnoser(),
    rules: () => rules,
    modelOf,
    lenient: options.lenient ?? false,
    struck: new Map(),
  };
  const log = createLog();
  const server = createServer((request, response) => void serve(house, log, request, response));
  await listen(server, options.port ?? 0);
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: log.requests,
    weights: () => totalsOf(log.requests),
    bill: () => log.requests.reduce((sum, { billPico }) => sum + (billPico ?? 0), 0),
    evict: house.weigher.evict,
    setFaults(wished) {
      rules = createFaultRules(wished);
    },
    received: log.received,
    close: () => close(server),
  };
}

interface Log {
  readonly requests: RecordedRequest[];
  add(request: RecordedRequest): void;
  received(n: number): Promise<RecordedRequest>;
}

function createLog(): Log {
  const requests: RecordedRequest[] = [];
  const waiting: { readonly n: number; readonly resolve: (request: RecordedRequest) => void }[] = [];
  return {
    requests,
    add(request) {
      requests.push(request);
      for (const { n, resolve } of waiting) if (n === request.n) resolve(request);
    },
    received(n) {
      const there = requests[n - 1];
      return there === undefined ? new Promise((resolve) => waiting.push({ n, resolve })) : Promise.resolve(there);
    },
  };
}

async function serve(house: House, log: Log, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => response.destroy());
  const row = request.method === 'POST' ? rowOf(request.url ?? '') : undefined;
  const raw = await bodyOf(request);
  if (raw === undefined) return;
  if (row === undefined) return void (await notFound(request, response));
  const text = raw.toString('utf8');
  const body = isUtf8(raw) ? parsed(text) : {};
  const weighed = house.weigher.weigh(row.wire, body);
  const record = recordOf(house, log.requests.length + 1, row, request, { text, bytes: raw.length, body });
  log.add({ ...record, tokens: weighed.tokens });
  const kept = log.requests.at(-1) ?? record;
  try {
    await handleExchange(house, { row, record: kept, weighed, response });
  } catch (error) {
    // A player that throws is a defect of the test: it is seen there, as a refusal, and the gateway lives on.
    await failed(row, kept, response, error);
  }
}

async function failed(row: WireRow, record: RecordedRequest, response: ServerResponse, error: unknown): Promise<void> {
  record.refusal = `the player failed: ${String(error)}`;
  if (response.headersSent) return void response.destroy();
  record.status = 500;
  const refusal = errorRefusal(row.dialect, { status: 500, type: 'api_error', message: record.refusal });
  await performWhole(response, refusal.status, refusal.headers, refusal.body);
}

/** undefined: the client went away before it had sent all of it. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

function parsed(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function recordOf(
  house: House,
  n: number,
  row: WireRow,
  request: IncomingMessage,
  body: { readonly text: string; readonly bytes: number; readonly body: Json },
): RecordedRequest {
  return {
    n,
    at: house.clock.now(),
    wire: row.wire,
    path: request.url ?? '',
    headers: withoutSecrets(request.headers),
    bodyText: body.text,
    bytes: body.bytes,
    body: body.body,
    conversation: row.view(body.body),
    tokens: { total: 0, system: 0, tools: 0 },
    cache: null,
    output: 0,
    billPico: null,
    step: null,
    status: null,
    refusal: null,
    delivered: false,
  };
}

async function notFound(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const wire = /\/(chat|responses)\b/.test(request.url ?? '') ? 'chat' : 'anthropic';
  const refusal = errorRefusal(wire, {
    status: 404,
    type: 'not_found_error',
    message: `Not found: ${request.method} ${request.url}`,
  });
  return performWhole(response, refusal.status, refusal.headers, refusal.body);
}

async function listen(server: Server, port: number): Promise<void> {
  server.keepAliveTimeout = 60_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
