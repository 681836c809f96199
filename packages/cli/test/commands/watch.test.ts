import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { TurnId } from '@zerd/protocol/common/ids';
import { begun, created, ended } from '../events.ts';
import { fakeDaemon, inTurn, sessionId, settled, start } from '../fake-daemon.ts';

async function outcome({ screen, code }: ReturnType<typeof start>) {
  return { code: await code, out: screen.out, err: screen.err };
}

const seqsOf = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).seq);

test('watch shows a session from its beginning and ends when it is idle', async () => {
  const daemon = fakeDaemon();
  daemon.append(created, ...begun('hello'));
  const watching = start(['watch', 'ses_1', '--until-idle'], daemon);
  await settled();
  expect(watching.screen.out).toBe('session with sim/sim, mode ask, in /repo\n> hello\n');
  daemon.append(ended('done'));
  expect(await watching.code).toBe(0);
  expect(daemon.open()).toBe(0);
});

test('watch of several sessions says of each line whose it is, and ends when all are idle', async () => {
  const [one, two] = [fakeDaemon('ses_aaaax1'), fakeDaemon('ses_bbbbx2')];
  one.append(created, ...begun('hello'));
  two.append(created, ...begun('there', 'turn_2' as TurnId), ended('done', undefined, 'turn_2' as TurnId));
  const watching = start(['watch', 'ses_aaaax1', 'ses_bbbbx2', 'ses_aaaax1', '--until-idle'], inTurn(one, two));
  await settled();
  const lines = watching.screen.out.trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('aax1 '))).toEqual([
    'aax1 session with sim/sim, mode ask, in /repo',
    'aax1 > hello',
  ]);
  expect(lines.filter((line) => line.startsWith('bbx2 '))).toEqual([
    'bbx2 session with sim/sim, mode ask, in /repo',
    'bbx2 > there',
    expect.stringMatching(/^bbx2 done: /),
  ]);
  expect(lines).toHaveLength(5);
  one.append(ended('done'));
  expect(await watching.code).toBe(0);
  expect(one.open() + two.open()).toBe(0);
});

test('watch of several sessions prints their events as JSON unchanged, and ends when one of them is unknown', async () => {
  const [one, two] = [fakeDaemon('ses_aaaax1'), fakeDaemon('ses_bbbbx2')];
  one.append(created);
  const alone = start(['watch', 'ses_aaaax1', '--json'], one);
  const together = start(['watch', 'ses_aaaax1', 'ses_bbbbx2', '--json'], inTurn(one, two));
  await settled();
  expect(together.screen.out).toBe(alone.screen.out);
  two.on('session/subscribe', () => {
    throw new ZerdError('unknown_session', 'There is no session ses_bbbbx2.');
  });
  const { code, err } = await outcome(start(['watch', 'ses_aaaax1', 'ses_bbbbx2'], inTurn(one, two)));
  expect({ code, err }).toEqual({ code: 1, err: 'zerd: There is no session ses_bbbbx2.\nSee `zerd sessions`.\n' });
});

test('watch as JSON prints what sub-agents ask, as it begins and at each change', async () => {
  const daemon = fakeDaemon();
  daemon.append(created, ...begun('hello'));
  const asked = {
    sessionId,
    pendingApprovals: [{ approvalId: 'apr_1', sessionId: 'ses_child' }],
    pendingQuestions: [],
  };
  daemon.asked = asked.pendingApprovals;
  const watching = start(['watch', 'ses_1', '--json', '--until-idle'], daemon);
  await settled();
  daemon.send('session/pending', { ...asked, pendingApprovals: [] });
  daemon.append(ended('done'));
  expect(await watching.code).toBe(0);
  const lines = watching.screen.out.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line)).filter((line) => line.event === undefined)).toEqual([
    asked,
    { ...asked, pendingApprovals: [] },
  ]);
});

test('watch of a session that is removed says so and ends', async () => {
  const daemon = fakeDaemon();
  daemon.append(created, ...begun('hello'));
  const watching = start(['watch', 'ses_1'], daemon);
  await settled();
  daemon.send('session/deleted', { sessionId });
  expect(await outcome(watching)).toMatchObject({ code: 0, err: 'ses_1 was removed: nothing more happens there.\n' });
  expect(daemon.open()).toBe(0);
});

test('watch of several sessions goes on with the others when one is removed', async () => {
  const [one, two] = [fakeDaemon('ses_aaaax1'), fakeDaemon('ses_bbbbx2')];
  one.append(created, ...begun('hello'));
  two.append(created, ...begun('there', 'turn_2' as TurnId));
  const watching = start(['watch', 'ses_aaaax1', 'ses_bbbbx2', '--until-idle'], inTurn(one, two));
  await settled();
  one.send('session/deleted', { sessionId: 'ses_aaaax1' });
  await settled();
  expect(watching.screen.err).toBe('ses_aaaax1 was removed: nothing more happens there.\n');
  two.append(ended('done', undefined, 'turn_2' as TurnId));
  expect(await watching.code).toBe(0);
  expect(watching.screen.out).toContain('bbx2 done: ');
});

test('watch of a session that is idle already ends after the replay', async () => {
  const daemon = fakeDaemon();
  daemon.append(created, ...begun('hello'), ended('done'));
  const { code, out } = await outcome(start(['watch', 'ses_1', '--until-idle', '--json'], daemon));
  expect({
    code,
    seqs: out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq),
  }).toEqual({ code: 0, seqs: [1, 2, 3, 4] });
});

test('watch goes on over a lost connection without missing or repeating an event', async () => {
  const daemon = fakeDaemon();
  daemon.append(created, ...begun('hello'));
  const watching = start(['watch', 'ses_1', '--until-idle', '--json'], daemon);
  await settled();
  daemon.drop();
  daemon.appendUnseen(ended('interrupted'));
  expect(await watching.code).toBe(0);
  expect(
    watching.screen.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq),
  ).toEqual([1, 2, 3, 4]);
});

test('watch asks again after a gap', async () => {
  const daemon = fakeDaemon();
  daemon.append(created, ...begun('hello'));
  const watching = start(['watch', 'ses_1', '--until-idle', '--json'], daemon);
  await settled();
  daemon.appendUnseen(ended('done'));
  daemon.send('session/gap', { sessionId, after: 3 });
  expect(await watching.code).toBe(0);
  expect(daemon.requests.map(({ params }) => params)).toEqual([
    { sessionId, after: 0 },
    { sessionId, after: 3 },
  ]);
});

test('watch of an idle session starts no daemon again that was stopped, and ends', async () => {
  const daemon = fakeDaemon();
  daemon.append(created, ...begun('hello'), ended('done'));
  const wanted: string[] = [];
  const connect: typeof daemon.connect = async (how) => {
    wanted.push(how);
    if (how === 'never') throw new ZerdError('daemon_unavailable', 'No daemon runs.');
    return await daemon.connect(how);
  };
  const watching = start(['watch', 'ses_1'], { connect });
  await settled();
  daemon.drop();
  expect(await watching.code).toBe(0);
  expect(wanted).toEqual(['daemon', 'never', 'never', 'never', 'never', 'never']);
  expect(watching.screen.err).toBe('The daemon was stopped: nothing more happens here until the next command.\n');
});

test('watch shows an event that comes twice once, and asks again when one is missing', async () => {
  const daemon = fakeDaemon();
  daemon.append(created, ...begun('hello'));
  const watching = start(['watch', 'ses_1', '--until-idle', '--json'], daemon);
  await settled();
  daemon.send('session/event', { sessionId, epoch: 'e1', seq: 3, at: 3000, event: ended('done') });
  daemon.appendUnseen({ kind: 'mode.changed', mode: 'full' });
  daemon.append(ended('done'));
  expect(await watching.code).toBe(0);
  expect(seqsOf(watching.screen.out)).toEqual([1, 2, 3, 4, 5]);
});

test('watch of an unknown session fails with what to do', async () => {
  const daemon = fakeDaemon();
  daemon.on('session/subscribe', () => {
    throw new ZerdError('unknown_session', 'There is no session ses_9.');
  });
  expect(await outcome(start(['watch', 'ses_9'], daemon))).toEqual({
    code: 1,
    out: '',
    err: 'zerd: There is no session ses_9.\nSee `zerd sessions`.\n',
  });
  expect(daemon.open()).toBe(0);
});

test('watch ends when nobody reads its output any more', async () => {
  const daemon = fakeDaemon();
  daemon.append(created);
  const gone = new AbortController();
  const watching = start(['watch', 'ses_1'], daemon, { outputGone: gone.signal });
  await settled();
  gone.abort();
  expect(await watching.code).toBe(0);
});
