/** What a daemon that is killed leaves of its MCP servers ends by itself or is ended by the next one: by token, never by name. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type House, inHouse } from '../support/house.ts';
import { daemonsWith, processesWith } from '../support/left-alive.ts';

const program = join(import.meta.dirname, '../support/mcp-server.mjs');
/** In the environment of a server and of all that it starts. */
const tag = `mcp-spec-${process.pid}`;

const server = (name: string, ...does: readonly string[]) => ({
  command: process.execPath,
  args: [program, ...does],
  env: { MCP_TAG: `${tag}-${name}` },
});

const config = (usual: object) => ({
  ...usual,
  mcp: {
    servers: {
      polite: server('polite'),
      deaf: server('deaf', 'ignores-end', 'ignores-terms'),
      parent: server('parent', 'ignores-end', 'grandchild'),
    },
  },
});

const alive = (name: string) => processesWith(`${tag}-${name}`).length;
const counts = () => ['polite', 'deaf', 'parent', 'bystander'].map(alive);

/** What happens in another process is looked for until it is there; the test's own limit ends it. */
async function until(expected: readonly number[]): Promise<void> {
  while (JSON.stringify(counts()) !== JSON.stringify(expected)) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function callAll(house: House): Promise<void> {
  for (const name of ['polite', 'deaf', 'parent']) {
    const call = await house.zerd(['mcp', 'call', `${name}/echo`, `{"text": "${name}"}`]);
    expect(call).toEqual({ code: 0, stdout: `${name}\n`, stderr: '' });
  }
}

test('F-22: of three servers of a killed daemon none is left, and a program of the same name is not touched', async () => {
  const env = { PATH: process.env.PATH, MCP_TAG: `${tag}-bystander` };
  const bystander = spawn(process.execPath, [program, 'ignores-end'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  try {
    await inHouse({ config }, async (house) => {
      await house.zerd(['trust']);
      await callAll(house);
      await until([1, 1, 2, 1]);
      for (const { pid } of daemonsWith(house.home)) process.kill(pid, 'SIGKILL');
      // The one that listens ends with its input, without anybody's doing.
      await until([0, 1, 2, 1]);
      const list = await house.zerd(['mcp']);
      expect(list.stdout.match(/9 tools, started when one is called/g)).toHaveLength(3);
      await until([0, 0, 0, 1]);
      const { stateFolder } = await (await house.connect()).request('daemon/status', {});
      while (existsSync(join(stateFolder, 'mcp-running.json'))) await new Promise((resolve) => setTimeout(resolve, 20));
      // And a daemon that ends as it should ends them itself.
      await callAll(house);
      await until([1, 1, 2, 1]);
      expect((await house.zerdd(['stop'])).code).toBe(0);
      expect(counts()).toEqual([0, 0, 0, 1]);
    });
  } finally {
    bystander.kill('SIGKILL');
  }
});
