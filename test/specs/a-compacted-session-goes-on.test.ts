/**
 * A conversation that is summed up through the whole house: `zerd compact` asks once behind the exact prompt, `zerd
 * context` shows what is left, a daemon that dies in between changes nothing, and the next turn knows what was said.
 */
import { expect, test } from '@jest/globals';
import type { Step } from '@zerd/simulator/players/player';
import { scriptPlayer } from '@zerd/simulator/players/script';
import { summarising } from '@zerd/simulator/players/summarising';
import { type HouseWire, inHouse } from '../support/house.ts';

const files = {
  'sum.sh': 'sum() {\n  echo $(($1 - $2))\n}\n',
  'test.sh': '. ./sum.sh\n[ "$(sum 2 2)" = 4 ] || { echo "sum.sh:2: error: adds wrongly"; exit 1; }\n',
};
const shell = (command: string): Step => ({ calls: [{ name: 'shell', input: { command } }] });
const steps: readonly Step[] = [
  { calls: [{ name: 'read', input: { path: 'sum.sh' } }] },
  shell('sh test.sh'),
  { calls: [{ name: 'edit', input: { path: 'sum.sh', old: '$1 - $2', new: '$1 + $2' } }] },
  ...Array.from({ length: 8 }, (_, n) => shell(`seq ${n}001 ${n}400`)),
  { text: 'It adds now.' },
  { text: 'Nothing is left.' },
];

test.each<HouseWire>(['anthropic', 'responses', 'chat'])(
  'over %s a session that was summed up goes on where it was',
  async (wire) => {
    const player = summarising(scriptPlayer(steps));
    await inHouse({ wire, files, player }, async ({ zerd, gateway, connect, events }) => {
      await zerd(['run', '--mode', 'full', '--trust', 'Mend sum.sh. Never touch test.sh.']);
      const before = gateway.requests.length;
      const compacted = await zerd(['compact', '--trust']);
      expect(compacted).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Summed up: about .* tokens a request/),
      });
      expect(gateway.requests.length).toBe(before + 1);
      const asked = gateway.requests.at(-1);
      expect((asked?.cache?.read ?? 0) / (asked?.tokens.total ?? 1)).toBeGreaterThan(0.7);
      const client = await connect();
      const { sessions } = await client.request('session/list', {});
      const sessionId = sessions[0]?.sessionId ?? '';
      const summary = (await events(sessionId)).flatMap(({ event }) =>
        event.kind === 'context.compacted' ? [event.summary] : [],
      )[0];
      for (const fact of ['Never touch test.sh.', '$1 + $2', 'sum.sh:2: error: adds wrongly', 'exit 1: sh test.sh'])
        expect(summary).toContain(fact);
      await client.request('daemon/shutdown', { force: true });
      const { stdout } = await zerd(['context']);
      expect(stdout).toMatch(/^summary .*mark/m);
      await zerd(['run', '--continue', '--trust', 'What is left?']);
      const [first] = gateway.requests.at(-1)?.conversation.messages ?? [];
      expect(first?.parts[0]).toEqual({ kind: 'text', text: summary });
      expect(gateway.requests.map(({ refusal }) => refusal)).toEqual(gateway.requests.map(() => null));
    });
  },
);
