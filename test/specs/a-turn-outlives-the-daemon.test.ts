/** The daemon is killed in the middle of things: turns, approvals and waiting prompts go on in the next one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { type SessionId, sessionIdSchema } from '@zerd/protocol/common/ids';
import { type House, inHouse } from '../support/house.ts';
import { daemonsWith } from '../support/left-alive.ts';

const minute = 60_000;
const held = { fault: { kind: 'silence' as const, after: 'output' as const } };
const touches = { calls: [{ name: 'shell', input: { command: 'echo x >> ran' } }] };

async function eventually(met: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await met())) await new Promise((resolve) => setTimeout(resolve, 20));
}

function kill(house: House): void {
  for (const { pid } of daemonsWith(house.home)) process.kill(pid, 'SIGKILL');
}

async function newest(house: House): Promise<SessionId> {
  const client = await house.connect();
  const { sessions } = await client.request('session/list', {});
  return sessionIdSchema.parse(sessions[0]?.sessionId);
}

const only = async <K extends SessionEvent['kind']>(house: House, sessionId: SessionId, kind: K) =>
  (await house.events(sessionId)).flatMap(({ event }) =>
    event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : [],
  );
const ran = (house: House) => {
  const file = join(house.repository, 'ran');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

test(
  'R-01, P074: a run whose daemon is killed in the middle of an answer goes on by itself and ends as if nothing had been',
  async () => {
    await inHouse({ steps: [touches, { text: 'All is well.', ...held }] }, async (house) => {
      const run = house.start(['run', '--trust', '--mode', 'full', 'go'], { deadlineMs: minute });
      await house.gateway.received(2);
      kill(house);
      expect(await run.finished).toMatchObject({ code: 0, stdout: 'All is well.\n' });
      const sessionId = await newest(house);
      expect(await only(house, sessionId, 'turn.resumed')).toHaveLength(1);
      expect(await only(house, sessionId, 'turn.finished')).toMatchObject([{ outcome: 'done' }]);
      expect(ran(house)).toBe('x\n');
    });
  },
  minute,
);

test(
  'F-31: an approval outlives client and daemon; the next client answers it once, under its id',
  async () => {
    await inHouse({ steps: [touches, { text: 'Done.' }] }, async (house) => {
      await house.zerd(['trust']);
      expect((await house.zerd(['say', 'hello'])).code).toBe(1);
      const first = await house.connect();
      const { sessionId } = await first.request('session/create', { mode: 'ask' });
      await first.request('turn/start', { sessionId, text: 'go' });
      await eventually(async () => (await only(house, sessionId, 'approval.requested')).length === 1);
      kill(house);
      first.close();
      const asked = await house.zerd(['answer']);
      const [{ approvalId } = { approvalId: '' }] = await only(house, sessionId, 'approval.requested');
      expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining(`? May shell do this?  ${approvalId}`) });
      expect(ran(house)).toBe('');
      expect(await house.zerd(['answer', 'yes'])).toMatchObject({ code: 0, stderr: '' });
      expect((await house.zerd(['answer', 'yes', '--session', sessionId])).code).toBe(1);
      await eventually(async () => (await only(house, sessionId, 'turn.finished')).length === 1);
      expect([ran(house), (await only(house, sessionId, 'approval.answered')).length]).toEqual(['x\n', 1]);
    });
  },
  minute,
);

test(
  'what is said while a turn runs reaches it or waits, and what waits begins after a kill too',
  async () => {
    await inHouse({ steps: [{ text: 'One.', ...held }, { text: 'Two.' }, { text: 'Three.' }] }, async (house) => {
      await house.zerd(['trust']);
      const run = house.start(['run', '--mode', 'full', 'first'], { deadlineMs: minute });
      await house.gateway.received(1);
      expect((await house.zerd(['say', 'quickly'])).stdout).toMatch(
        /^prm_\S+ goes to the running turn of ses_\S+\.\n$/,
      );
      expect((await house.zerd(['say', '--queue', 'second'])).stdout).toMatch(/ waits for the turns before it in /);
      kill(house);
      expect((await run.finished).code).toBe(0);
      const sessionId = await newest(house);
      await eventually(async () => (await only(house, sessionId, 'turn.finished')).length === 2);
      const said = await only(house, sessionId, 'message.submitted');
      expect(said.map(({ text, turnId }) => [text, turnId === said[0]?.turnId])).toEqual([
        ['first', true],
        ['quickly', true],
        ['second', false],
      ]);
    });
  },
  minute,
);

test(
  'a daemon that gets SIGTERM hands its turn over; one that is stopped by force ends it',
  async () => {
    await inHouse(
      {
        steps: [
          { text: 'One.', ...held },
          { text: 'Two.', ...held, faultTimes: 2 },
        ],
      },
      async (house) => {
        const run = house.start(['run', '--trust', '--mode', 'full', 'go'], { deadlineMs: minute });
        await house.gateway.received(1);
        for (const { pid } of daemonsWith(house.home)) process.kill(pid, 'SIGTERM');
        expect(await run.finished).toMatchObject({ code: 0, stdout: 'One.\n' });
        const again = house.start(['run', '--trust', '--mode', 'full', 'again'], { deadlineMs: minute });
        await house.gateway.received(3);
        expect((await house.zerdd(['stop', '--force'])).code).toBe(0);
        expect((await again.finished).code).toBe(130);
      },
    );
  },
  minute,
);
