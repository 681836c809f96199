/**
 * However the terminal UI is ended, by whatever signal and as soon as it has changed the terminal, that is put back; what a
 * SIGKILL leaves behind, the next one puts back.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { inHouse } from '../support/house.ts';
import { keys, openTerminal, type Terminal } from '../support/terminal.ts';

const zerd = join(import.meta.dirname, '../../packages/cli/bin/zerd.js');

const given = { mouseTrackingMode: 'none', bracketedPasteMode: false, sendFocusMode: false };

function modesOf({ emulator }: Terminal) {
  const { mouseTrackingMode, bracketedPasteMode, sendFocusMode } = emulator.modes;
  return { mouseTrackingMode, bracketedPasteMode, sendFocusMode };
}

test('a signal, at the first byte or later, leaves no mode of the terminal behind', async () => {
  await inHouse({}, async (house) => {
    await house.zerd(['trust']);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      for (const shown of ['', '/help']) {
        const terminal = openTerminal({ command: [process.execPath, zerd], cwd: house.repository, env: house.env });
        await terminal.until((text) => terminal.bytes() > 0 && text.includes(shown));
        terminal.kill(signal);
        await terminal.exited;
        await terminal.until(() => terminal.emulator.buffer.active.type === 'normal');
        expect(modesOf(terminal)).toEqual(given);
      }
    }
  });
});

test('what a kill -9 leaves behind is put back when another one opens there and is left', async () => {
  await inHouse({}, async (house) => {
    await house.zerd(['trust']);
    const pidFile = join(house.home, 'pid');
    const first = `sh -c 'echo $$ > "${pidFile}"; exec "$0" "$@"' "$0" "$@"`;
    const terminal = openTerminal({
      command: ['/bin/sh', '-c', `${first}; echo KILLED; "$0" "$@"; exec cat`, process.execPath, zerd],
      cwd: house.repository,
      env: house.env,
    });
    await terminal.until('/help');
    const killed = terminal.until('KILLED');
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    await killed;
    expect(modesOf(terminal)).not.toEqual(given);
    await terminal.until((text) => text.includes('/help') && !text.includes('KILLED'));
    terminal.type(keys.ctrlC);
    await terminal.until('Ctrl-C again leaves');
    terminal.type(keys.ctrlC);
    await terminal.until(() => terminal.emulator.buffer.active.type === 'normal');
    expect(modesOf(terminal)).toEqual(given);
    terminal.kill('SIGKILL');
    await terminal.exited;
  });
});
