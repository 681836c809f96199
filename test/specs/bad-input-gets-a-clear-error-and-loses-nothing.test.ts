/** Whatever is wrong with what a user gives, the message says what and what next, and the work done before is kept. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startGateway } from '@zerd/simulator/gateway/start';
import { scriptPlayer } from '@zerd/simulator/players/script';
import { type Config, type House, type HouseWish, inHouse } from '../support/house.ts';
import type { Finished } from '../support/run-program.ts';

const zerddPath = join(import.meta.dirname, '../../packages/cli/bin/zerdd.js');

/** A run that fails before it reaches the model: says this, exits so, and leaves neither a request nor a session. */
async function refuses(
  wish: HouseWish,
  args: readonly string[],
  code: number,
  ...says: readonly string[]
): Promise<void> {
  await inHouse(wish, async (house) => {
    const config = readFileSync(house.configFile, 'utf8');
    const run = await house.zerd(args);
    expectFailure(run, code, ...says);
    expect(house.gateway.requests).toHaveLength(0);
    expect(await turnsOf(house)).toEqual([]);
    expect(readFileSync(house.configFile, 'utf8')).toBe(config);
  });
}

/** A run that fails at the model: what was said is kept, and the session goes on once the cause is gone. */
async function failsAndGoesOn(
  wish: HouseWish,
  mend: (house: House) => void,
  ...says: readonly string[]
): Promise<void> {
  await inHouse({ ...wish, steps: [{ text: 'Here again.' }] }, async (house) => {
    const run = await house.zerd(['run', '--trust', 'remember the word heron'], { deadlineMs: 60_000 });
    expectFailure(run, 1, ...says);
    mend(house);
    const again = await house.zerd(['run', '--trust', '--continue', 'go on'], { deadlineMs: 60_000 });
    expect(again).toEqual({ code: 0, stdout: 'Here again.\n', stderr: '' });
    const sent = JSON.stringify(house.gateway.requests.at(-1)?.body);
    expect(sent).toContain('remember the word heron');
    expect(sent).toContain('go on');
  });
}

test('an unknown model is named, and nothing is begun', async () => {
  await refuses({}, ['run', '--trust', '--model', 'sim/other', 'hello'], 1, 'sim/other');
  await refuses({}, ['run', '--trust', '--model', 'nobody/sim', 'hello'], 1, 'nobody/sim');
});

test('a missing key is named by its variable, and nothing is begun', async () => {
  await refuses({ env: { SIM_API_KEY: '' } }, ['run', '--trust', 'hello'], 1, 'SIM_API_KEY');
});

test('a broken configuration is named by its file, and left as it is', async () => {
  await refuses({ config: '{ "providers": { "sim": ' }, ['run', '--trust', 'hello'], 1, 'config.json');
  await refuses(
    { config: '{ "providers": { "sim": { "wire": "smoke" } } }' },
    ['run', '--trust', 'hello'],
    1,
    'config.json',
    'wire',
  );
});

test('a configuration with unknown fields warns and works', async () => {
  const config = (usual: Config) => ({ ...usual, colour: 'blue' });
  await inHouse({ config, steps: [{ text: 'Works.' }] }, async (house) => {
    const { warnings } = JSON.parse((await house.zerd(['rpc', 'config/read'])).stdout);
    expect(warnings).toEqual([expect.stringContaining('colour')]);
    expect((await house.zerd(['run', '--trust', 'hello'])).stdout).toBe('Works.\n');
  });
});

test('an empty prompt starts nothing, from the arguments and from standard input', async () => {
  await refuses({}, ['run', '--trust', ''], 2, 'prompt is empty');
  await refuses({}, ['run', '--trust', ' \n'], 2, 'prompt is empty');
  await inHouse({}, async (house) => {
    expectFailure(await house.zerd(['run', '--trust'], { stdin: ' \n\n' }), 2, 'prompt is empty');
    expectFailure(await house.zerd(['run', '--trust']), 2, 'prompt is empty');
    expect(await turnsOf(house)).toEqual([]);
  });
});

test('wrong usage is told apart from failure, with the nearest word', async () => {
  await refuses({}, ['rum', 'hello'], 2, 'run');
  await refuses({}, ['run', '--modell', 'sim/sim', 'hello'], 2, '--model');
  await refuses({}, ['run', '--max-requests', '0', 'hello'], 2, '--max-requests');
});

test('a session that does not exist is named', async () => {
  await refuses({}, ['run', '--trust', '--session', 'ses_nowhere', 'hello'], 1, 'ses_nowhere');
});

test('an endpoint that cannot be reached is named, and the session goes on when it is back', async () => {
  const gone = await startGateway({ player: scriptPlayer([]) });
  await gone.close();
  const config = (usual: Config) => ({
    ...usual,
    providers: { sim: { ...usual.providers.sim, baseUrl: gone.origin } },
  });
  const mend = (house: House) => {
    const text = readFileSync(house.configFile, 'utf8').replace(gone.origin, house.gateway.origin);
    writeFileSync(house.configFile, text);
  };
  await failsAndGoesOn({ config }, mend, new URL(gone.origin).host, 'provider_unreachable');
}, 120_000);

for (const wire of ['anthropic', 'chat'] as const) {
  test(`a gateway that answers HTML is told from an answer, on ${wire}`, async () => {
    const faults = [{ fault: { kind: 'html', status: 200 }, on: 1 }] as const;
    await failsAndGoesOn({ wire, faults }, () => {}, 'provider_malformed', 'HTML');
  });
}

test('without git, and outside a repository, a run works', async () => {
  await inHouse({ git: false, steps: [{ text: 'No git, no harm.' }] }, async (house) => {
    const bin = join(house.home, 'bin');
    mkdirSync(bin);
    for (const program of ['sh', 'env', 'cat']) symlinkSync(`/bin/${program}`, join(bin, program));
    const run = await house.zerd(['run', '--trust', 'hello'], { env: { PATH: bin } });
    expect(run).toEqual({ code: 0, stdout: 'No git, no harm.\n', stderr: '' });
    expect(JSON.stringify(house.gateway.requests[0]?.body)).toContain('Not a git repository');
  });
});

test('F-25: a working folder that was deleted is named, before a run', async () => {
  await inHouse({}, async (house) => {
    const gone = join(house.home, 'gone');
    mkdirSync(gone);
    const script = 'rmdir "$0" && exec "$@"';
    const run = await house.shell(script, gone, ['run', '--trust', 'hello']);
    expectFailure(run, 1, 'folder');
  });
});

test('F-25: a repository that was deleted under its session is named, and the session is there when it is back', async () => {
  await inHouse({ steps: [{ text: 'First.' }, { text: 'Second.' }] }, async (house) => {
    expect((await house.zerd(['run', '--trust', 'one'])).stdout).toBe('First.\n');
    const client = await house.connect();
    const [session] = (await client.request('session/list', {})).sessions;
    if (session === undefined) throw new Error('no session');
    rmSync(house.repository, { recursive: true });
    const start = { sessionId: session.sessionId, text: 'two', trust: true };
    await expect(client.request('turn/start', start)).rejects.toMatchObject({
      code: 'folder_missing',
      message: expect.stringContaining(house.repository),
    });
    mkdirSync(house.repository);
    expect((await house.zerd(['run', '--trust', '--session', session.sessionId, 'two'])).stdout).toBe('Second.\n');
  });
});

test('zerdd names a working folder that was deleted, as zerd does', async () => {
  await inHouse({}, async (house) => {
    const gone = join(house.home, 'gone');
    mkdirSync(gone);
    for (const command of ['status', 'stop', '']) {
      const script = `cd "$0" && rmdir "$0" && exec "$1" "${zerddPath}" ${command}`;
      const run = await house.shell(script, gone, []);
      mkdirSync(gone, { recursive: true });
      expect({ command, ...run }).toEqual({
        command,
        code: 1,
        stdout: '',
        stderr: 'zerdd: folder_missing: the working folder was deleted; go to another, or name one with --root.\n',
      });
    }
  });
});

test('an output that cannot be written is no success, and one that nobody reads any more is', async () => {
  await inHouse({ steps: [{ text: 'One.' }, { text: 'Two.' }] }, async (house) => {
    const full = await house.shell('"$@" > /dev/full', house.repository, ['run', '--trust', 'one']);
    expectFailure(full, 1, 'What was to be printed could not be', 'ENOSPC', 'What was done is kept');
    const json = await house.shell('"$@" > /dev/full', house.repository, ['run', '--trust', '--stream-json', 'two']);
    expectFailure(json, 1, 'What was to be printed could not be');
    const read = await house.shell('"$@" | head -c 0', house.repository, ['sessions', '--json']);
    expect(read).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await turnsOf(house)).toHaveLength(2);
  });
});

test("a refused key is told in the provider's words, and that trying again is of no use", async () => {
  await inHouse({ wire: 'chat', faults: [{ fault: { kind: 'bad-key' } }] }, async (house) => {
    expectFailure(
      await house.zerd(['run', '--trust', 'hello']),
      1,
      'Incorrect API key provided. Trying again cannot help.',
    );
  });
});

function expectFailure({ code, stdout, stderr }: Finished, expected: number, ...says: readonly string[]): void {
  expect({ code, stdout, stderr }).toEqual({ code: expected, stdout: '', stderr: expect.stringMatching(/^zerd: /) });
  for (const word of says) expect(stderr).toContain(word);
  expect(stderr).not.toMatch(/\n\s+at /);
}

/** Everything that was ever begun in the repository: the turns of its sessions. */
async function turnsOf(house: House): Promise<readonly string[]> {
  const client = await house.connect();
  const { sessions } = await client.request('session/list', {});
  const logs = await Promise.all(sessions.map(({ sessionId }) => house.events(sessionId)));
  return logs.flat().flatMap(({ event }) => (event.kind === 'turn.started' ? [event.turnId] : []));
}
