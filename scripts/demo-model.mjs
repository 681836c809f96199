/** Who plays the model in the demonstration: a script behind the gateway of the simulator, or the user's own model. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './tree.mjs';

const keys = /^(?:ANTHROPIC|OPENAI)_|_API_KEY$/;

/**
 * The environment of the run: the user's, its state in the folder of the demonstration. `own` leaves the user's
 * configuration and keys out. What a test runner sets for itself would disturb the processes of the run.
 */
export function environmentFor(userEnv, changes, own = false) {
  const kept = Object.entries(userEnv).filter(([name]) => {
    if (name === 'NODE_OPTIONS' || name.startsWith('NODE_TEST') || name.startsWith('JEST_')) return false;
    return !own || !(keys.test(name) || name.startsWith('ZERD_') || name.startsWith('XDG_'));
  });
  return { ...Object.fromEntries(kept), ...changes };
}

/** Starts the gateway and writes a configuration that names it. The script has no price: what it does costs nothing. */
export async function scriptedModel({ folder, wire, withoutFix }) {
  const main = join(root, 'packages/simulator/dist/gateway/main.js');
  const args = [main, '--script', 'repair', '--json', ...(withoutFix ? ['--without-fix'] : [])];
  const gateway = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const ended = once(gateway, 'exit');
  const stop = async () => {
    gateway.kill('SIGKILL');
    await ended;
  };
  try {
    const provider = {
      wire,
      baseUrl: await addressOf(gateway, ended, wire),
      apiKey: 'none needed',
      models: [{ id: 'scripted', contextWindow: 200_000, maxOutput: 64_000 }],
    };
    const home = join(folder, 'home');
    const config = join(home, '.config/zerd');
    mkdirSync(config, { recursive: true, mode: 0o700 });
    writeFileSync(join(config, 'config.json'), JSON.stringify({ providers: { demo: provider } }), { mode: 0o600 });
    return { model: 'demo/scripted', env: { HOME: home }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function addressOf(gateway, ended, wire) {
  const lines = createInterface({ input: gateway.stdout });
  const gone = ended.then(([code]) => {
    throw new Error(`the gateway ended with ${code} before it was ready`);
  });
  const [line] = await Promise.race([once(lines, 'line'), gone]);
  gone.catch(() => {});
  return JSON.parse(line)[wire];
}
