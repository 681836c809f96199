/**
 * `npm run check`: everything about the code that a machine can judge without running it. Each check prints its findings
 * and one verdict line; the process fails when one of them does. `npm run check -- sizes docs` runs some, by name.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './tree.mjs';

const bin = (path) => join(root, 'node_modules', path);
const script = (name) => [join(root, 'scripts', `${name}.mjs`)];

/** In the order in which they are run, the slow `lint` beside the others: `generated` reads what `types` has built. */
const checks = {
  format: [bin('@biomejs/biome/bin/biome'), 'ci', '--colors=off', '--error-on-warnings', '.'],
  types: [bin('@typescript/native/bin/tsc'), '-b', '--pretty', 'false'],
  lint: script('check-lint'),
  layers: script('check-layers'),
  purity: script('check-purity'),
  sizes: script('check-sizes'),
  generated: [...script('generate'), '--check'],
  lock: script('check-lock'),
  docs: script('check-docs'),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in checks));
if (unknown.length > 0) {
  console.error(`no such check: ${unknown.join(', ')}. There are: ${Object.keys(checks).join(', ')}`);
  process.exit(2);
}
const chosen = Object.keys(checks).filter((name) => wanted.length === 0 || wanted.includes(name));
const [slow, others] = [chosen.filter((name) => name === 'lint'), chosen.filter((name) => name !== 'lint')];
const failed = (await Promise.all([failuresOf(slow), failuresOf(others)])).flat();
console.log(failed.length === 0 ? 'check: ok' : `check: FAILED: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs them one after the other; the names of those that failed. */
async function failuresOf(names) {
  const failures = [];
  for (const name of names) if (!(await holds(name))) failures.push(name);
  return failures;
}

/** Runs one check and prints its verdict; a script of ours has printed its own as its last line. */
async function holds(name) {
  const startedAt = performance.now();
  const { status, said } = await run(checks[name]);
  const lines = said.trim().split('\n');
  const ok = status === 0;
  const says = ok ? (lines.at(-1) ?? '').replace(/^[a-z]+: ok, /, '') : '';
  if (!ok) console.log(lines.join('\n'));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(10)} ${seconds.padStart(5)} s  ${says}`.trimEnd());
  return ok;
}

function run(args) {
  const env = { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', NODE_OPTIONS: '' };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ status: null, said: `${said}${error.message}` }));
    child.on('close', (status) => resolve({ status, said }));
  });
}
