/**
 * Going back before a message through the whole house: from a script, after the daemon ended, and in the terminal UI. The
 * files are as they were, what somebody else wrote stays, and the model is sent the conversation as it was then.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Step } from '@zerd/simulator/players/player';
import { scriptPlayer } from '@zerd/simulator/players/script';
import { type House, type HouseWire, inHouse } from '../support/house.ts';
import { keys, openTerminal } from '../support/terminal.ts';

const program = join(import.meta.dirname, '../../packages/cli/bin/zerd.js');

const files = { 'a.txt': 'one\n', 'b.txt': 'b\n' };
const call = (name: string, input: object): Step => ({ calls: [{ name, input }] });
const steps: readonly Step[] = [
  { text: 'Hello.' },
  call('edit', { path: 'a.txt', old: 'one', new: 'two' }),
  call('edit', { path: 'b.txt', old: 'b', new: 'c' }),
  call('write', { path: 'new.txt', content: 'new\n' }),
  { text: 'Changed.' },
  { text: 'The other way.' },
];

const text = ({ repository }: House, path: string) => readFileSync(join(repository, path), 'utf8');

test.each<HouseWire>(['anthropic', 'responses', 'chat'])(
  'over %s a script goes back, also when the daemon ended since, and goes on from there',
  async (wire) => {
    await inHouse({ wire, files, player: scriptPlayer(steps) }, async (house) => {
      const { zerd, gateway, connect } = house;
      await zerd(['run', '--mode', 'full', '--trust', 'Hello']);
      await zerd(['run', '--continue', '--trust', 'Change them.']);
      expect([text(house, 'a.txt'), text(house, 'b.txt'), text(house, 'new.txt')]).toEqual(['two\n', 'c\n', 'new\n']);
      writeFileSync(join(house.repository, 'b.txt'), 'mine\n');
      const client = await connect();
      await client.request('daemon/shutdown', { force: true });
      const back = await zerd(['rewind']);
      expect(back).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ses_\w+\n$/) });
      expect(
        back.stderr
          .replaceAll(/[0-9a-f]{12}/g, 'ID')
          .trimEnd()
          .split('\n'),
      ).toEqual([
        'Taken back: Change them.',
        'a.txt: put back; what was there is archived as ID',
        'b.txt: stays, something else changed it too; what it held is archived as ID',
        'new.txt: removed, it was created since; archived as ID',
        `To read what is archived: zerd archive ID`,
      ]);
      expect([text(house, 'a.txt'), text(house, 'b.txt')]).toEqual(['one\n', 'mine\n']);
      expect(existsSync(join(house.repository, 'new.txt'))).toBe(false);
      await zerd(['run', '--session', back.stdout.trim(), '--trust', 'Go another way.']);
      const messages = gateway.requests.at(-1)?.conversation.messages ?? [];
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
      expect(JSON.stringify(messages)).not.toContain('Change them.');
      expect(gateway.requests.map(({ refusal }) => refusal)).toEqual(gateway.requests.map(() => null));
    });
  },
);

test('in the terminal UI /undo takes the newest message back into the input, with the files', async () => {
  await inHouse({ files, player: scriptPlayer(steps.slice(1)) }, async (house) => {
    await house.zerd(['run', '--mode', 'full', '--trust', 'Change them.']);
    const terminal = openTerminal({
      command: [process.execPath, program, 'attach'],
      cwd: house.repository,
      env: house.env,
      columns: 100,
      rows: 30,
    });
    try {
      await terminal.until(/Changed\./);
      terminal.type(`/undo${keys.enter}`);
      await terminal.until(/Take back to before which message\?.*\n Change them\. +the newest/);
      terminal.type(keys.enter);
      await terminal.until(/ The conversation and files +3 put back, 0 stay as they are/);
      terminal.type(keys.enter);
      await terminal.until(/a\.txt: put back; what was there is archived as/);
      await terminal.until((screen) => screen.includes('> Change them.'));
      expect([text(house, 'a.txt'), existsSync(join(house.repository, 'new.txt'))]).toEqual(['one\n', false]);
    } finally {
      terminal.kill('SIGKILL');
      await terminal.exited;
    }
  });
});

test('on a narrow screen what was said comes back as it was typed, also where it begins with a slash', async () => {
  const said = `/etc is what this is about: ${'long '.repeat(20)}\n\n\ttwo @a.txt end`;
  await inHouse({ files, player: scriptPlayer([{ text: 'Hello.' }, { text: 'Hello again.' }]) }, async (house) => {
    await house.zerd(['run', '--trust', said]);
    const terminal = openTerminal({
      command: [process.execPath, program, 'attach', '--trust'],
      cwd: house.repository,
      env: house.env,
      columns: 40,
      rows: 10,
    });
    try {
      await terminal.until(/Hello\./);
      terminal.type(`/rewind${keys.enter}`);
      await terminal.until(/Take back to before.*\n \/etc is what this.* the newest/);
      terminal.type(keys.enter);
      await terminal.until(/What is taken back\?.*\n The conversation alone/);
      terminal.type(keys.enter);
      // In the input, not in what was said.
      await terminal.until(/^ +two @a\.txt end\n sim\//m);
      terminal.type(keys.enter);
      await terminal.until(/Hello again\./);
      expect(JSON.stringify(house.gateway.requests.at(-1)?.conversation.messages)).toContain(
        JSON.stringify(said).slice(1, -1),
      );
    } finally {
      terminal.kill('SIGKILL');
      await terminal.exited;
    }
  });
});
