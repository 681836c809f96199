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

// In USD per million tokens; made up, so that there is a bill to look at. Nothing is paid for a script.
const madeUpPrice = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** Starts the gateway and writes a configuration that names it. */
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
    const baseUrl = await addressOf(gateway, ended, wire);
    const model = { id: 'scripted', contextWindow: 200_000, maxOutput: 64_000, price: madeUpPrice };
    const provider = { wire, baseUrl, apiKey: 'none needed', models: [model] };
    const home = join(folder, 'home');
    const config = join(home, '.config/zerd');
    mkdirSync(config, { recursive: true, mode: 0o700 });
    writeFileSync(join(config, 'config.json'), JSON.stringify({ providers: { demo: provider } }), { mode: 0o600 });
    return { model: 'demo/scripted', note: `the price is made up: ${priceLine()}`, env: { HOME: home }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function priceLine() {
  const { input, output, cacheRead, cacheWrite } = madeUpPrice;
  return `$${input} in, $${output} out, $${cacheRead} cached, $${cacheWrite} written to the cache, per million tokens`;
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
