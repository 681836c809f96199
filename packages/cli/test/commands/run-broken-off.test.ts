/** Connections that close under a run, and Ctrl-C. */
import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import { answered, asked, begun, ended, says } from '../events.ts';
import { type FakeDaemon, sessionId, settled, start, turnId } from '../fake-daemon.ts';
import { daemonWith, prompt, run, work } from './run-scene.ts';

test('a connection that closes in the middle is opened again and the run goes on after the last event', async () => {
  const daemon = daemonWith(asked(500));
  const running = start(['run', '--stream-json', prompt], daemon);
  await settled();
  daemon.drop();
  daemon.appendUnseen(answered([says('All done.')]));
  await settled();
  daemon.append(ended('done'));
  expect(await running.code).toBe(0);
  expect(daemon.connected).toEqual(['daemon', 'daemon']);
  expect(
    running.screen.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq),
  ).toEqual([1, 2, 3, 4, 5, 6]);
});

test('a turn that the daemon lost in a crash is never reported as done', async () => {
  const daemon = daemonWith(asked(500));
  const running = start(['run', prompt], daemon);
  await settled();
  daemon.appendUnseen(ended('interrupted'));
  daemon.drop();
  expect(await running.code).toBe(130);
});

test('a connection that cannot be opened again fails the run', async () => {
  const daemon = daemonWith(asked(500));
  let lost = false;
  const connect: FakeDaemon['connect'] = async (how) => {
    if (lost) throw new ZerdError('daemon_unavailable', 'No daemon.');
    return await daemon.connect(how);
  };
  const running = start(['run', prompt], { connect });
  await settled();
  lost = true;
  daemon.drop();
  expect(await running.code).toBe(1);
  expect(running.screen.err).toContain('zerd: No daemon.');
});

test('a connection that closes under turn/start: the log says whether the turn began', async () => {
  const daemon = daemonWith();
  daemon.on('turn/start', ({ text }: { text: string }) => {
    daemon.drop();
    daemon.appendUnseen(...begun(text), ...work, ended('done'));
  });
  expect(await run(daemon)).toEqual({ code: 0, out: 'All done.\n', err: '' });
});

test('a connection that closes under turn/start: a turn that never began is not reported as done', async () => {
  const daemon = daemonWith();
  daemon.on('turn/start', () => daemon.drop());
  expect(await run(daemon)).toMatchObject({
    code: 1,
    err: expect.stringContaining('it never began. Run it again with --session ses_1'),
  });
});

test('a store that was replaced under the run ends it', async () => {
  const daemon = daemonWith(asked(500));
  const running = start(['run', prompt], daemon);
  await settled();
  daemon.on('session/subscribe', () => ({ epoch: 'e2', syncedAt: 0 }));
  daemon.drop();
  expect(await running.code).toBe(1);
  expect(running.screen.err).toContain('The store was replaced');
});

test('Ctrl-C asks the daemon to end the turn and exits with 130 when it is final', async () => {
  const daemon = daemonWith(asked(500));
  daemon.on('turn/interrupt', () => {
    daemon.append(ended('interrupted'));
    return { interrupted: true };
  });
  const running = start(['run', prompt], daemon);
  await settled();
  running.screen.interrupt();
  expect(await running.code).toBe(130);
  expect(daemon.requests.at(-1)).toEqual({ method: 'turn/interrupt', params: { sessionId, turnId } });
  expect(running.screen.exits).toEqual([]);
});

test('a second Ctrl-C leaves at once', async () => {
  const daemon = daemonWith(asked(500));
  const running = start(['run', prompt], daemon);
  await settled();
  running.screen.interrupt();
  running.screen.interrupt();
  expect(running.screen.exits).toEqual([130]);
  daemon.append(ended('interrupted'));
  await running.code;
});

test('Ctrl-C while the turn is being accepted interrupts it as soon as it has an id', async () => {
  const daemon = daemonWith(asked(500));
  daemon.on('turn/interrupt', () => {
    daemon.append(ended('interrupted'));
    return { interrupted: true };
  });
  const running = start(['run', prompt], daemon);
  daemon.on('turn/start', ({ text }: { text: string }) => {
    running.screen.interrupt();
    daemon.append(...begun(text));
    return { turnId, seq: 3 };
  });
  expect(await running.code).toBe(130);
});

test('an interrupt is asked again after a lost connection', async () => {
  const daemon = daemonWith(asked(500));
  daemon.on('turn/interrupt', () => daemon.drop());
  const running = start(['run', prompt], daemon);
  await settled();
  running.screen.interrupt();
  daemon.on('turn/interrupt', () => {
    if (daemon.connected.length === 1) return daemon.drop();
    daemon.append(ended('interrupted'));
    return { interrupted: true };
  });
  expect(await running.code).toBe(130);
  expect(daemon.requests.filter(({ method }) => method === 'turn/interrupt')).toHaveLength(2);
});
