/** The forget bench: its repository, its facts and tasks, its scripts played without an agent, and a part of it for real. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { forgetFiles } from '../../src/bench/forget/files.ts';
import { measureForget } from '../../src/bench/forget/measure-forget.ts';
import { areas } from '../../src/bench/forget/modules.ts';
import { type Round, roundsOfWork } from '../../src/bench/forget/rounds.ts';
import { factsOf, tasksOf } from '../../src/bench/forget/tasks.ts';
import type { Fact } from '../../src/players/fact.ts';
import type { RequestView } from '../../src/view/request-view.ts';

const rounds = roundsOfWork();
const facts = learntIn(rounds).flat();
/** All but the exit statuses, which are numbers like others. */
const told = facts.filter(({ id }) => !id.startsWith('D'));

test('the files never change', () => {
  const files = [...forgetFiles()];
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
  expect([files.length, hash]).toMatchInlineSnapshot(`
   [
     66,
     "1dc54a436562d092",
   ]
  `);
});

test('40 facts, each with a value of its own', () => {
  const kinds = new Map<string, number>();
  for (const { id } of facts) kinds.set(id.charAt(0), (kinds.get(id.charAt(0)) ?? 0) + 1);
  expect(Object.fromEntries(kinds)).toEqual({
    A: 10,
    B: 5,
    C: 6,
    D: 4,
    E: 5,
    F: 4,
    G: 2,
    H: 2,
    I: 2,
  });
  expect(new Set(facts.map(({ value }) => value)).size).toBe(40);
  const long = rounds[2]?.prompt ?? '';
  expect([
    Buffer.byteLength(long) > 4_000,
    ...['C3', 'C4'].map((id) => Math.round((10 * long.indexOf(id)) / long.length)),
  ]).toEqual([true, 0, 5]);
});

test('each is used once, some steps after it was learnt: a few, or most of the session', () => {
  const tasks = tasksOf(rounds);
  expect(
    factsOf(tasks)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(facts.map(({ id }) => id).sort());
  const learnt = learntIn(rounds);
  const waits = facts.map((fact) => {
    const used = tasks.findIndex((task) => task.kind === 'use' && task.fact.id === fact.id);
    const steps = tasks.slice(0, used).filter((task) => task.kind === 'step' && task.step.calls !== undefined).length;
    return steps - 1 - learnt.findIndex((some) => some.includes(fact));
  });
  expect(waits.every((wait) => wait >= 0)).toBe(true);
  expect(waits.filter((wait) => wait > 6).length).toBeGreaterThan(24);
  expect(Math.max(...waits)).toBeGreaterThan(50);
});

test('a value stands in one place: a file, the words of the user or an edit; there the fact is seen', () => {
  const edited = edits().map((edit) => edit.new);
  const places = [...forgetFiles().values(), ...rounds.map(({ prompt }) => prompt), ...edited];
  for (const { id, value, seenIn } of told) {
    const there = places.filter((text) => text.includes(value));
    const seen = [there.join('\n'), places.join('\n')].map((text) => seenIn(viewOf(text)));
    expect([id, there.length, ...seen]).toEqual([id, 1, value, value]);
  }
});

test('the commands end as they must: errors, statuses, and what is shown only once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forget-'));
  try {
    for (const [path, text] of forgetFiles()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const run = (command: string) => {
      const { status, stdout } = spawnSync('sh', ['-c', command], {
        cwd: folder,
        encoding: 'utf8',
      });
      return [status, ...told.filter(({ value }) => stdout.includes(value)).map(({ id }) => id)];
    };
    const runAll = (kind: string) => areas.map((area) => run(`sh ${kind}/${area}.sh`));
    expect(runAll('checks')).toEqual([[1, 'B1'], [1], [1, 'B3'], [1], [1, 'B5']]);
    for (const { path, old, new: text } of edits()) {
      const parts = readFileSync(join(folder, path), 'utf8').split(old);
      expect(parts.length).toBe(2);
      writeFileSync(join(folder, path), parts.join(text));
    }
    expect(runAll('checks')).toEqual([1, 2, 3, 4, 5].map((i) => [1, `B${i}`]));
    const statuses = facts.filter(({ id }) => id.startsWith('D')).map(({ value }) => [Number(value)]);
    expect(runAll('probes').slice(0, 4)).toEqual(statuses);
    expect([run('sh tickets/stock.sh'), run('sh tickets/stock.sh')]).toEqual([[0, 'H1'], [1]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a round through the real programs, trimmed before every request: nothing is lost', async () => {
  const one = rounds.slice(1, 2);
  const figures = await measureForget(one, 'chat', 'every', 'test-forget');
  expect(figures).toMatchObject({ facts: 9, lost: [], compactions: 0 });
  expect([figures.trims > 2, figures.extraCalls > 1]).toEqual([true, true]);
}, 120_000);

/** By step of work. */
function learntIn(some: readonly Round[]): readonly (readonly Fact[])[] {
  return some.flatMap(({ said, works }) => works.map(({ learns }, i) => (i === 0 ? [...said, ...learns] : learns)));
}

interface Edit {
  readonly path: string;
  readonly old: string;
  readonly new: string;
}

function edits(): readonly Edit[] {
  const calls = rounds.flatMap(({ works }) => works.flatMap((work) => work.calls));
  return calls.filter(({ name }) => name === 'edit').map(({ input }) => input as Edit);
}

function viewOf(text: string): RequestView {
  const messages = [{ role: 'user', parts: [{ kind: 'text', text }] }] as const;
  return {
    wire: 'chat',
    model: 'sim',
    system: '',
    tools: [],
    messages,
    stream: false,
  };
}
