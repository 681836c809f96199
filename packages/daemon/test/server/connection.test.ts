/** What becomes of requests whose client goes before they have begun. */
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import { type ClientMethod, methods } from '@zerd/protocol/common/methods';
import { encodeFrame } from '@zerd/protocol/node/framing';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { serveConnection } from '../../src/server/connection.ts';
import type { Dispatch } from '../../src/server/dispatch.ts';
import { onlyLooks } from '../../src/server/only-looks.ts';

/** Which of these begin after their client has asked for all of them and gone. */
async function check(asked: readonly ClientMethod[], expected: readonly ClientMethod[]) {
  const up = new PassThrough();
  const begun: string[] = [];
  const dispatch: Dispatch = async (_caller, method, _params, withdrawn) => {
    if (withdrawn?.()) throw new ZerdError('disconnected', 'It was withdrawn.');
    begun.push(method);
    return {};
  };
  const down = new PassThrough();
  down.resume();
  const { link } = serveConnection(
    1,
    { readable: up, writable: down },
    { dispatch, clock: manualClock(), log: silentLog },
  );
  for (const [id, method] of asked.entries()) up.write(encodeFrame({ jsonrpc: '2.0', id, method }));
  up.end();
  down.end();
  await link.closed;
  expect(begun).toEqual(expected);
}

test('what a client only wanted to see is not looked up when it is gone, and what it said is done', async () => {
  await check(
    ['session/list', 'turn/start', 'config/read', 'approval/answer', 'search/query', 'turn/interrupt'],
    ['turn/start', 'approval/answer', 'turn/interrupt'],
  );
});

test('no request that may be work counts as looking', () => {
  const names = Object.keys(methods).filter((name) => methods[name as keyof typeof methods].direction === 'toDaemon');
  expect(names.filter((name) => !onlyLooks(name))).toEqual([
    ...['initialize', 'secret/forget', 'daemon/handover', 'daemon/shutdown', 'session/create', 'session/setMode'],
    ...[
      'session/compact',
      'session/fork',
      'session/rewind',
      'session/delete',
      'model/select',
      'auth/login',
      'auth/logout',
      'turn/start',
    ],
    ...['turn/steer', 'turn/queue', 'turn/interrupt', 'approval/answer', 'grant/add', 'grant/remove'],
    ...['question/answer', 'trust/set', 'notes/write', 'index/rebuild', 'job/stop', 'job/write'],
    ...['mcp/approve', 'mcp/revoke', 'mcp/restart', 'mcp/lend', 'mcp/call'],
  ]);
});
