/**
 * The demonstration: a copy of the sample, one `zerd run` in it, then the sample's own tests, run here and not by the
 * model. Invariant: `green` is what those tests say; the daemon is stopped and the folder removed however it ends.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { costLine } from '../packages/cli/dist/present/cost-line.js';
import { linesOf, paint } from '../packages/cli/dist/present/paint.js';
import { diffTone, emptyProgress, progress } from '../packages/cli/dist/present/progress.js';
import { addEvent, costUsd, emptySummary, flowOf } from '../packages/cli/dist/present/summary.js';
import { environmentFor, scriptedModel } from './demo-model.mjs';
import { commitSample, diffOf, runSampleTests, testFingerprint } from './demo-sample.mjs';
import { root } from './tree.mjs';

const usage = `scripts/demo: zerd makes the failing tests of a small repository pass.

  --model provider/model   use this model of yours
  --wire anthropic|chat    what the scripted model speaks (default anthropic)
  --no-daemon              let the run have a private daemon
  --without-fix            leave the mending step out of the script: the tests then stay red
  --json                   print a JSON object as the last line

With ANTHROPIC_API_KEY, OPENAI_API_KEY or --model a real model does it; else a script plays one on this machine.
`;

const { env: userEnv } = process;
const wishes = readWishes();
const colour = process.stdout.isTTY === true && (userEnv.NO_COLOR ?? '') === '';
const say = (text, tone = 'plain') =>
  linesOf(text, tone).forEach((line) => void process.stdout.write(paint(line, colour)));
const title = (text) => say(`\n${text}`, 'strong');
const cleanups = [];
let interrupted = false;
let agent;

process.on('SIGINT', () => onSignal('SIGINT'));
process.on('SIGTERM', () => onSignal('SIGTERM'));
process.exitCode = await main();

async function main() {
  try {
    return await demonstrate();
  } catch (error) {
    console.error(`demo: ${error.stack ?? error}`);
    return 1;
  } finally {
    for (const clean of cleanups.reverse()) await clean();
  }
}

async function demonstrate() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-demo-')));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const sample = join(folder, 'sample');
  cpSync(join(root, 'packages/simulator/sample'), sample, { recursive: true });
  commitSample(sample);
  const before = testFingerprint(sample);
  if (runSampleTests(sample).green) throw new Error('the sample is green before anything was done: nothing to show');

  const { env, model, note } = await environment(folder);
  cleanups.push(() => stopDaemon(sample, env));
  title(`zerd run --trust --mode full "make the tests pass"   (${model ?? 'the default model'})`);
  const summary = interrupted ? emptySummary : await runZerd(sample, env, model);
  if (interrupted) return 130;

  title('The diff');
  const diff = diffOf(sample);
  if (diff === '') say('nothing was changed', 'bad');
  else for (const line of diff.trimEnd().split('\n')) say(line, diffTone(line));
  const { green, output } = runSampleTests(sample);
  const testsEdited = testFingerprint(sample) !== before;
  title('The tests');
  say(output.trimEnd());
  say(
    `${green ? 'green' : 'red'}, and the tests were ${testsEdited ? '' : 'not '}edited`,
    green && !testsEdited ? 'good' : 'bad',
  );
  title('The cost');
  say(costLine(flowOf(summary)));
  if (note !== undefined) say(note, 'dim');
  const { requests, toolCalls, requestBytes } = summary;
  if (wishes.json)
    console.log(JSON.stringify({ green, testsEdited, requests, toolCalls, requestBytes, costUsd: costUsd(summary) }));
  return green ? 0 : 1;
}

function readWishes() {
  const options = {
    json: { type: 'boolean', default: false },
    'no-daemon': { type: 'boolean', default: false },
    'without-fix': { type: 'boolean', default: false },
    model: { type: 'string' },
    wire: { type: 'string', default: 'anthropic' },
    help: { type: 'boolean', short: 'h' },
  };
  try {
    const { values } = parseArgs({ options });
    if (!['anthropic', 'chat'].includes(values.wire)) throw new Error(`no such wire: ${values.wire}`);
    if (!values.help) return values;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`demo: ${error.message}\n\n${usage}`);
    process.exit(2);
  }
}

/** Keys of the user and --model stand for a real model; without the fix there is only the script. */
async function environment(folder) {
  const state = { XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: join(folder, 'run') };
  for (const path of Object.values(state)) mkdirSync(path, { mode: 0o700 });
  const { ANTHROPIC_API_KEY, OPENAI_API_KEY } = userEnv;
  const real = wishes.model ?? ANTHROPIC_API_KEY ?? OPENAI_API_KEY;
  if (real && !wishes['without-fix']) return { env: environmentFor(userEnv, state), model: wishes.model };
  const scripted = await scriptedModel({ folder, wire: wishes.wire, withoutFix: wishes['without-fix'] });
  cleanups.push(scripted.stop);
  return {
    env: environmentFor(userEnv, { ...state, ...scripted.env }, true),
    model: scripted.model,
    note: scripted.note,
  };
}

/** Draws the events of the run as they come and settles with what they come to. */
async function runZerd(sample, env, model) {
  const args = ['run', '--trust', '--mode', 'full', '--stream-json', ...(wishes['no-daemon'] ? ['--no-daemon'] : [])];
  if (model !== undefined) args.push('--model', model);
  const zerd = join(root, 'packages/cli/bin/zerd.js');
  // A group of its own: Ctrl-C reaches it once, through this process.
  agent = spawn(process.execPath, [zerd, ...args, 'make the tests pass'], {
    cwd: sample,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => agent.once('close', resolve));
  let known = emptyProgress;
  let summary = emptySummary;
  for await (const line of createInterface({ input: agent.stdout })) {
    const notice = JSON.parse(line);
    summary = addEvent(summary, notice.event);
    const [next, lines] = progress(known, notice, 'watch');
    known = next;
    for (const shown of lines) process.stdout.write(paint(shown, colour));
  }
  const code = await ended;
  if (code !== 0) say(`zerd run ended with exit ${code}`, 'bad');
  return summary;
}

function onSignal(signal) {
  interrupted = true;
  if (agent?.exitCode === null) agent.kill(signal);
}

function stopDaemon(sample, env) {
  const zerdd = join(root, 'packages/cli/bin/zerdd.js');
  const { status, stderr } = spawnSync(process.execPath, [zerdd, 'stop', '--force', '--root', sample], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) console.error(`demo: the daemon could not be stopped: ${stderr.trim()}`);
}
