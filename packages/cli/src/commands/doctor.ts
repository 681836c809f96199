/** `zerd doctor`: looks whether what zerd works with is in order, and says what to do where it is not. */
import type { ResultOf } from '@zerd/protocol/common/methods';
import { safeJson } from '@zerd/protocol/common/sanitise';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { paint } from '../present/paint.ts';
import { coloursOutput } from '../terminal.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  usage: 'doctor',
  says: 'Checks what zerd works with here, and says what to do where something is wrong',
  positionals: {},
  options: ['json'],
  examples: [['zerd doctor', 'One line a check']],
  epilogue: 'Exit status: 0 all is well, 1 something is not.',
  async perform({ json }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const { checks } = await client.request('daemon/doctor', {});
      terminal.out(json === true ? `${safeJson(checks)}\n` : checkLines(checks, coloursOutput(terminal)));
      return checks.every(({ ok }) => ok) ? exitCode.done : exitCode.failed;
    } finally {
      client.close();
    }
  },
});

function checkLines(checks: ResultOf<'daemon/doctor'>['checks'], colour: boolean): string {
  return checks
    .flatMap(({ name, ok, says, todo }) => [
      paint({ tone: ok ? 'good' : 'bad', text: `${ok ? 'ok    ' : 'wrong '} ${name}: ${says}` }, colour),
      ...(todo === undefined ? [] : [paint({ tone: 'plain', text: `       ${todo}` }, colour)]),
    ])
    .join('');
}
