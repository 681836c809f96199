/** However the terminal UI is ended, by whatever signal and as soon as it has changed the terminal, that is put back. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { inHouse } from '../support/house.ts';
import { openTerminal } from '../support/terminal.ts';

const zerd = join(import.meta.dirname, '../../packages/cli/bin/zerd.js');

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
        const { mouseTrackingMode, bracketedPasteMode, sendFocusMode } = terminal.emulator.modes;
        expect({ mouseTrackingMode, bracketedPasteMode, sendFocusMode }).toEqual({
          mouseTrackingMode: 'none',
          bracketedPasteMode: false,
          sendFocusMode: false,
        });
      }
    }
  });
});
