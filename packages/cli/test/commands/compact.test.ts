import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { PromptOutline } from '@zerd/protocol/common/methods';
import { created } from '../events.ts';
import { callId, fakeDaemon, requestId, sessionId, settled, start, turnId } from '../fake-daemon.ts';

async function outcome({ screen, code }: ReturnType<typeof start>) {
  return { code: await code, out: screen.out, err: screen.err };
}

const begun: SessionEvent = { kind: 'turn.started', turnId };
const compacted: SessionEvent = {
  kind: 'context.compacted',
  turnId,
  reason: 'asked for by the user',
  throughSeq: 40,
  summary: 'In short.',
  archiveId: '1a2b3c4d5e6f7a8b' as never,
  summaryRequestId: requestId,
  usage: { uncached: 1, cacheRead: 9, cacheWrite: 0, output: 3, reported: true },
  predicted: { prompt: 151_200, after: 12_340, facts: 4_000 },
};
const done: SessionEvent = { kind: 'turn.finished', turnId, outcome: 'done' };

test('compact sums up the newest session and says what came of it', async () => {
  const daemon = fakeDaemon();
  daemon.append(created);
  daemon.on('session/compact', () => {
    daemon.append(begun, compacted, done);
    return { turnId, seq: 2 };
  });
  expect(await outcome(start(['compact'], daemon))).toEqual({
    code: 0,
    out: 'Summed up: about 151.2k -> 12.3k tokens a request; the whole is archived as 1a2b3c4d5e6f.\nSee what the model sees now: zerd context\n',
    err: 'Summing up ses_1. Ctrl-C leaves it as it was.\n',
  });
  expect(daemon.requests.at(-1)).toEqual({ method: 'session/compact', params: { sessionId } });
  expect(daemon.open()).toBe(0);
});

test('compact waits for its own end, as JSON too', async () => {
  const daemon = fakeDaemon();
  daemon.append(created);
  daemon.on('session/compact', () => ({ turnId, seq: 2 }));
  const running = start(['compact', '--session', sessionId, '--json', '--trust'], daemon);
  await settled();
  daemon.append(begun, { ...done, turnId: 'turn_9' as never });
  await settled();
  expect(running.screen.out).toBe('');
  daemon.append(compacted, done);
  const { code, out } = await outcome(running);
  expect({ code, json: JSON.parse(out) }).toMatchObject({
    code: 0,
    json: { sessionId, outcome: 'done', failure: null, compacted: { throughSeq: 40 } },
  });
  expect(daemon.requests.at(-1)?.params).toEqual({ sessionId, trust: true });
});

test('a compaction that failed says why, and what cannot begin is an error', async () => {
  const daemon = fakeDaemon();
  daemon.append(created);
  const failure = { code: 'provider_malformed', message: 'It stands as it was.' };
  daemon.on('session/compact', () => {
    daemon.append(begun, { ...done, outcome: 'failed', failure } as SessionEvent);
    return { turnId, seq: 2 };
  });
  expect(await outcome(start(['compact'], daemon))).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/\nzerd: It stands as it was\.\n$/),
  });
  daemon.on('session/compact', () => {
    throw new ZerdError('invalid_params', 'There is nothing to compact in this session yet; nothing was changed.');
  });
  expect(await outcome(start(['compact'], daemon))).toMatchObject({
    code: 1,
    err: expect.stringContaining('nothing to compact'),
  });
});

test('Ctrl-C ends a compaction and waits for the word of the daemon', async () => {
  const daemon = fakeDaemon();
  daemon.append(created);
  daemon.on('session/compact', () => ({ turnId, seq: 2 }));
  const running = start(['compact'], daemon);
  await settled();
  running.screen.interrupt();
  await settled();
  expect(daemon.requests.at(-1)).toEqual({ method: 'turn/interrupt', params: { sessionId, turnId } });
  daemon.append({
    ...done,
    outcome: 'interrupted',
    failure: { code: 'interrupted', message: 'interrupted by the user' },
  } as SessionEvent);
  expect((await outcome(running)).code).toBe(130);
});

const outline: PromptOutline = {
  system: { bytes: 1_200, about: 'You are zerd.' },
  tools: [
    { name: 'read', bytes: 300 },
    { name: 'edit', bytes: 400 },
  ],
  messages: [
    { role: 'user', blocks: [{ kind: 'summary', bytes: 9_000, about: '[Summary', marked: true }] },
    {
      role: 'assistant',
      blocks: [
        { kind: 'reasoning', bytes: 80, about: '' },
        { kind: 'text', bytes: 9, about: 'Looking.' },
        { kind: 'toolCall', bytes: 20, about: 'read {"path":"a.ts"}', callId: callId('c7'), number: 7 },
      ],
    },
    {
      role: 'user',
      blocks: [{ kind: 'toolResult', bytes: 470, about: 'line\x1b[2J 1', callId: callId('c7'), number: 7, stub: true }],
    },
  ],
};

test('context shows every block with its size, stubs and marks, with nothing that could move the cursor', async () => {
  const daemon = fakeDaemon();
  daemon.append(created);
  const sizes = { tokens: 3_100, contextWindow: 200_000 };
  daemon.on('context/read', () => ({ model: 'sim/sim', body: '{}', bytes: 12_345, outline, ...sizes }));
  const { code, out } = await outcome(start(['context', '--request', 'req_5'], daemon));
  expect(code).toBe(0);
  expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
    'ses_1 with sim/sim: 12.3 kB on the wire, 3.1k tokens of a window of 200.0k',
    '  summary     ##############################    9.0 kB   78 %',
    '  system      ####                              1.2 kB   10 %',
    '  tools       ##                                 700 B    6 %',
    '  results     ##                                 470 B    4 %',
    '  reasoning   #                                   80 B    1 %',
    '  calls       #                                   20 B    0 %',
    '  model text  #                                    9 B    0 %',
    '',
    'BLOCK       CALL  SIZE          BEGINS WITH',
    'system            1.2 kB        You are zerd.',
    'tools             700 B         read edit',
    'summary           9.0 kB  mark  [Summary',
    'reasoning         80 B',
    'model text        9 B           Looking.',
    'call        7     20 B          read {"path":"a.ts"}',
    expect.stringMatching(/^result {6}7 {5}470 B {3}stub {2}line\S* 1$/),
    'stub: cut to its ends (1); the whole is in the archive. mark: a cache entry is wished here.',
    '',
  ]);
  expect(out).not.toContain('\x1b');
  expect(daemon.requests.at(-1)).toEqual({ method: 'context/read', params: { sessionId, requestId: 'req_5' } });
});

test('context prints everything as JSON, and refuses what is no request', async () => {
  const daemon = fakeDaemon();
  daemon.append(created);
  daemon.on('context/read', () => ({ model: 'sim/sim', body: '{}', bytes: 2, outline }));
  const { out } = await outcome(start(['context', '--json'], daemon));
  expect(JSON.parse(out)).toEqual({ sessionId, model: 'sim/sim', body: '{}', bytes: 2, outline });
  expect(await outcome(start(['context', '--request', 'c7'], daemon))).toMatchObject({ code: 2 });
  expect(await outcome(start(['context', 'ses_1', '--session', 'ses_1'], daemon))).toMatchObject({ code: 2 });
});

test('context --raw prints what was sent at a request, byte for byte; a terminal gets the same value, made harmless', async () => {
  const daemon = fakeDaemon();
  daemon.append(created);
  const body = '{"text":"a\x9b\u202eb\\n"}';
  daemon.on('context/read', () => ({ model: 'sim/sim', body, bytes: 2 }));
  const piped = start(['context', 'ses_1', '--at', 'req_5', '--raw'], daemon);
  expect((await outcome(piped)).out).toBe(body);
  expect(daemon.requests.at(-1)).toEqual({ method: 'context/read', params: { sessionId, requestId: 'req_5' } });
  const shown = (await outcome(start(['context', '--raw'], daemon, { outputIsTerminal: true }))).out;
  expect(shown).not.toMatch(/[\x9b\u202e]/);
  expect(JSON.parse(shown)).toEqual(JSON.parse(body));
});

test('without a session compact and context say so', async () => {
  for (const command of ['compact', 'context']) {
    expect(await outcome(start([command], fakeDaemon()))).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no session here yet.'),
    });
  }
});
