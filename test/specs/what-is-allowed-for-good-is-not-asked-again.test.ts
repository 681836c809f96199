/** A yes for good: from the terminal, over restarts, for this repository and its user alone. */
import { cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { inHouse } from '../support/house.ts';
import { daemonsWith } from '../support/left-alive.ts';

const minute = 60_000;
const touches = (name: string) => ({ calls: [{ name: 'shell', input: { command: `touch ${name}` } }] });
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
const edit = ['run', '--mode', 'edit', 'go'];

test(
  'what is answered with always runs unasked from then on, after kill -9 too, until it is taken back',
  async () => {
    const steps = [touches('a'), { text: '1' }, touches('a'), { text: '2' }, touches('a'), touches('b')];
    await inHouse({ steps }, async (house) => {
      await house.zerd(['trust']);
      const client = await house.connect();
      const { sessionId } = await client.request('session/create', { mode: 'edit' });
      await client.request('turn/start', { sessionId, text: 'go' });
      const state = async () => (await client.request('session/read', { sessionId, limit: 1 })).session.state;
      while ((await state()) !== 'waiting') await pause();
      expect(await house.zerd(['answer'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('always: touch a\n'),
      });
      expect(await house.zerd(['answer', 'always'])).toMatchObject({ code: 0, stderr: '' });
      while ((await state()) !== 'idle') await pause();
      expect(await house.zerd(['grants'])).toMatchObject({ stdout: 'touch a\n' });
      for (const { pid } of daemonsWith(house.home)) process.kill(pid, 'SIGKILL');
      expect(await house.zerd(edit)).toMatchObject({ code: 0, stdout: '2\n' });
      expect(await house.zerd(['grants', 'remove', 'touch a'])).toMatchObject({ code: 0 });
      expect(await house.zerd(edit)).toMatchObject({ code: 4 });
      expect(existsSync(join(house.repository, 'b'))).toBe(false);
    });
  },
  minute,
);

test(
  'I7, S-20: nothing that lies in a repository allows anything, and no copy of what is allowed elsewhere does',
  async () => {
    await inHouse({ steps: [touches('a')] }, async (house) => {
      await house.zerd(['trust']);
      await house.zerd(['grants', 'add', 'touch *']);
      const client = await house.connect();
      const { stateFolder } = await client.request('daemon/status', {});
      const other = join(house.home, 'other');
      mkdirSync(join(other, '.zerd'), { recursive: true });
      const record = join(stateFolder, 'grants.json');
      for (const name of ['.zerd/grants.json', 'grants.json']) cpSync(record, join(other, name));
      writeFileSync(join(other, '.zerd/config.json'), '{"permissions":{"commands":["touch *"]}}');
      await house.zerd(['trust'], { cwd: realpathSync(other) });
      expect(await house.zerd(edit, { cwd: realpathSync(other) })).toMatchObject({ code: 4 });
      expect(existsSync(join(other, 'a'))).toBe(false);
    });
  },
  minute,
);
