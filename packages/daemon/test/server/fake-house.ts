/** A house in memory: a store whose commits the test makes, a runner that notes what it is asked. */
import { PassThrough } from 'node:stream';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { PromptId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { PromptOutline, SessionRow, Totals } from '@zerd/protocol/common/methods';
import { openClient, type ZerdClient } from '@zerd/protocol/node/client';
import type { Streams } from '@zerd/protocol/node/link';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import type { Log, LogFacts } from '../../src/base/log.ts';
import type { Store } from '../../src/base/ports.ts';
import type { CommandOutputNotice, Delta, OutputListener, Runner } from '../../src/runner/runner.ts';
import { noIndex } from '../../src/search/index-report.ts';
import type { House } from '../../src/server/house.ts';
import { noJobs } from '../support/no-jobs.ts';
import { noMcp } from '../support/no-mcp.ts';

export const ses = (name: string) => `ses_${name}` as SessionId;
export const turn = (name: string) => `turn_${name}` as TurnId;
export const mode = (name: 'ask' | 'full' = 'ask'): SessionEvent => ({ kind: 'mode.changed', mode: name });

export interface FakeStore extends Store {
  /** Commits at once and tells the listeners. */
  commit(sessionId: SessionId, ...events: readonly SessionEvent[]): void;
  /** Called before a page is read. */
  beforeRead: () => void;
  closed: boolean;
}

const noTotals: Totals = {
  requests: 0,
  uncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  costPico: 0,
  unpricedRequests: 0,
};

export function fakeStore(): FakeStore {
  const logs = new Map<SessionId, LoggedEvent[]>();
  const listeners = new Set<(sessionId: SessionId, events: readonly LoggedEvent[]) => void>();
  const row = (sessionId: SessionId, log: readonly LoggedEvent[]): SessionRow => ({
    sessionId,
    createdAt: 1,
    updatedAt: log.length,
    lastSeq: log.length,
    title: '',
    model: 'sim/sim',
    mode: 'ask',
    state: 'idle',
    requests: 0,
    costPico: 0,
    unpricedRequests: 0,
  });
  const store: FakeStore = {
    epoch: 'epoch-1',
    closed: false,
    beforeRead: () => {},
    archive: {
      put: () => Promise.reject(new Error('not here')),
      adopt: () => Promise.reject(new Error('not here')),
      locate: () => Promise.resolve(undefined),
      idOf: () => {
        throw new Error('not here');
      },
      spoolPath: () => '',
    },
    transcripts: { append: () => Promise.reject(new Error('not here')) },
    folds: { find: () => undefined, keep: () => {} },
    notesFiles: {
      place: (sessionId) => `/notes/${sessionId}.md`,
      read: () => Promise.resolve(undefined),
      write: () => Promise.reject(new Error('not here')),
    },
    commit(sessionId, ...events) {
      const log = logs.get(sessionId) ?? [];
      const logged = events.map((event, i) => ({ seq: log.length + 1 + i, at: 0, event }));
      logs.set(sessionId, [...log, ...logged]);
      for (const listener of listeners) listener(sessionId, logged);
    },
    append: () => Promise.reject(new Error('not here')),
    fork: () => Promise.reject(new Error('not here')),
    removeSession: () => Promise.reject(new Error('not here')),
    forget: () => Promise.reject(new Error('not here')),
    read(sessionId, after = 0, limit = Number.POSITIVE_INFINITY) {
      store.beforeRead();
      return (logs.get(sessionId) ?? []).slice(after, after + limit);
    },
    session: (sessionId) => {
      const log = logs.get(sessionId);
      return log && row(sessionId, log);
    },
    sessions: () => [...logs].map(([sessionId, log]) => row(sessionId, log)),
    totals: () => ({ totals: noTotals, byModel: [] }),
    totalsSince: () => noTotals,
    raisesSince: () => [],
    onCommit(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async close() {
      store.closed = true;
    },
  };
  return store;
}

export interface FakeRunner extends Runner {
  /** What was asked, with what it was given. */
  readonly asked: (readonly [string, unknown])[];
  delta(delta: Delta): void;
  /** False: nobody wants it. */
  output(output: CommandOutputNotice): boolean;
  running: number;
  /** What `startTurn` waits for. */
  gate: Promise<unknown>;
}

export const noOutline: PromptOutline = { system: { bytes: 1, about: 'S' }, tools: [], messages: [] };

export function fakeRunner(): FakeRunner {
  const asked: (readonly [string, unknown])[] = [];
  const listeners = new Set<(delta: Delta) => void>();
  const outputs = new Set<OutputListener>();
  const runner: FakeRunner = {
    asked,
    running: 0,
    gate: Promise.resolve(),
    delta: (delta) => {
      for (const listener of listeners) listener(delta);
    },
    output(output) {
      const wants = [...outputs].some((listener) => listener.wanted(output.sessionId));
      for (const listener of outputs) listener.tell(output);
      return wants;
    },
    async createSession(wish) {
      asked.push(['createSession', wish]);
      return { sessionId: ses('new'), model: 'sim/sim', mode: 'ask', seq: 1 };
    },
    async startTurn(wish) {
      asked.push(['startTurn', wish]);
      await runner.gate;
      asked.push(['started', wish.text]);
      return { turnId: turn('1'), seq: 2 };
    },
    async compact(wish) {
      asked.push(['compact', wish.sessionId]);
      return { turnId: turn('2'), seq: 3 };
    },
    async interrupt(...args) {
      asked.push(['interrupt', args]);
      return true;
    },
    async answer(answer) {
      asked.push(['answer', answer]);
    },
    async readNotes(sessionId) {
      asked.push(['readNotes', sessionId]);
      return { notes: { goal: 'Ship.' }, todo: '', file: '/notes.md' };
    },
    async writeNotes(sessionId, change) {
      asked.push(['writeNotes', [sessionId, change]]);
      return { notes: {}, todo: '', ...change, file: '/notes.md' };
    },
    async allowedMore(...args) {
      asked.push(['allowedMore', args]);
    },
    async setMode(...args) {
      asked.push(['setMode', args]);
    },
    async answerQuestion(answer) {
      asked.push(['answerQuestion', answer]);
    },
    async steer(wish) {
      asked.push(['steer', wish]);
      return { promptId: 'prm_1' as PromptId, seq: 3 };
    },
    async queue(wish) {
      asked.push(['queue', wish]);
      return { promptId: 'prm_1' as PromptId, seq: 3 };
    },
    async changePrompt(change) {
      asked.push(['changePrompt', change]);
      return { promptId: change.promptId, seq: 4 };
    },
    async runQueue(wish) {
      asked.push(['runQueue', wish]);
      return turn('1');
    },
    queued: () => ({ prompts: [], paused: false }),
    trusted: () => {},
    readBudgets: () => [],
    offerEnv: () => {},
    pendingApprovals: () => [],
    pendingQuestions: () => [],
    contextBody: () => ({ model: 'sim/sim', body: '{"ä":1}', outline: noOutline }),
    contextSizes: () => ({}),
    readCost: (sessionId) => ({
      sessionId,
      byPurpose: [],
      subagents: noTotals,
      misses: [],
      notReported: [],
      carried: [],
      advice: [],
    }),
    forecast: () => ({ plan: 'keep', prompt: 9, read: 0, rewritten: 0, costPico: null, ways: [], warn: false }),
    async selectModel({ model }) {
      return model;
    },
    async fork({ sessionId }) {
      asked.push(['fork', sessionId]);
      return { sessionId: ses('fork'), seq: 1 };
    },
    async rewind({ sessionId }) {
      asked.push(['rewind', sessionId]);
      return { sessionId: ses('fork'), seq: 1, files: [], commands: 0 };
    },
    async removeSession(sessionId) {
      asked.push(['removeSession', sessionId]);
      return [sessionId];
    },
    async forget() {
      return { events: 1, bodies: 2, files: 3 };
    },
    waits: () => [],
    runningTurns: () => runner.running,
    onDelta(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    onOutput(listener) {
      outputs.add(listener);
      return { [Symbol.dispose]: () => void outputs.delete(listener) };
    },
    async recover() {
      asked.push(['recover', undefined]);
    },
    async stop() {
      asked.push(['stop', undefined]);
    },
  };
  return runner;
}

export interface FakeHouse extends House {
  readonly store: FakeStore;
  readonly runner: FakeRunner;
  readonly clock: ManualClock;
  /** Lines of the log. */
  readonly lines: (readonly [string, LogFacts])[];
  readonly shutdowns: string[];
  /** Releases that it was told to make room for once it is idle. */
  readonly yields: string[];
}

const noCredentials: House['auth']['credentials'] = {
  stored: { key: () => undefined, token: () => undefined, broken: () => undefined },
  ready: () => Promise.resolve(),
  signedIn: () => undefined,
  keepKey: () => Promise.resolve('file'),
  remove: () => Promise.resolve([]),
  beginLogin: () => Promise.resolve({ state: 'failed', why: 'nobody signs in here' }),
  awaitLogin: () => Promise.resolve({ state: 'failed', why: 'nobody signs in here' }),
  close: () => Promise.resolve(),
};

export function fakeHouse(): FakeHouse {
  const lines: (readonly [string, LogFacts])[] = [];
  const shutdowns: string[] = [];
  const yields: string[] = [];
  const note = (message: string, facts: LogFacts = {}) => void lines.push([message, facts]);
  const log: Log = { info: note, warn: note, error: note };
  let trusted = false;
  return {
    root: '/repo',
    stateFolder: '/state',
    logFile: '/state/zerdd.log',
    startedAt: 0,
    store: fakeStore(),
    runner: fakeRunner(),
    jobs: noJobs,
    trust: {
      trusted: () => trusted,
      async set(value) {
        trusted = value;
      },
    },
    grants: {
      list: () => ({ rules: [] }),
      add: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    },
    config: {
      warnings: (env) => Object.keys(env),
      skills: async () => ({ skills: [] }),
      read: (env) => ({ file: '/c/config.json', model: null, models: [], warnings: Object.keys(env) }),
    },
    search: {
      search: () => Promise.resolve({ hits: [], totalMatches: 0, totalFiles: 0 }),
      find: () => Promise.resolve({ paths: [], total: 0 }),
      rank: () => Promise.resolve({ paths: [], total: 0, synced: true }),
      indexStatus: () => Promise.resolve(noIndex),
      rebuildIndex: () => Promise.resolve(noIndex),
      onIndex: () => ({ [Symbol.dispose]() {} }),
      close: () => Promise.resolve(),
    },
    auth: {
      status: () => ({ providers: [{ provider: 'sim', source: 'missing', variable: 'SIM_KEY' }] }),
      credentials: noCredentials,
    },
    mcp: noMcp,
    checks: [],
    clock: manualClock(),
    log,
    lines,
    shutdowns,
    yields,
    yieldTo: (version) => void yields.push(version),
    shutdown: (why) => void shutdowns.push(why),
  };
}

/** Two ends of a connection in memory. A paused end takes nothing until it is resumed. */
export function pipes(): { readonly near: Streams; readonly far: Streams } {
  const up = new PassThrough();
  const down = new PassThrough();
  return { near: { readable: down, writable: up }, far: { readable: up, writable: down } };
}

export function greet(streams: Streams, env: Record<string, string> = {}): Promise<ZerdClient> {
  return openClient(streams, { client: { name: 't', version: '0' }, env, clock: manualClock(), deadlineMs: 1000 });
}
