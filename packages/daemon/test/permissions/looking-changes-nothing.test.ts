/**
 * S-43: what may run unasked because it only looks is run, with whatever options it was let through with, and changes
 * nothing and starts nothing. `ZERD_CASES` for a longer run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { judgeCommand } from '@zerd/core/permissions/commands/judge-command';
import fc from 'fast-check';
import { reachesFarther } from '../../src/permissions/reaches-farther.ts';
import { lookingEnv } from '../../src/processes/looking-env.ts';

const cases = Number(process.env.ZERD_CASES ?? 150);
const seed = Number(process.env.ZERD_SEED ?? 43);

let base: string;
let root: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-looking-')));
  root = join(base, 'root');
  mkdirSync(join(root, 'sub'), { recursive: true });
  for (const name of ['a', 'b', 'sub/c', 'out', 'prog'])
    writeFileSync(join(root, name), `${name}\nb\na\n`, { mode: 0o755 });
  writeFileSync(join(root, 'run'), `#!/bin/sh\necho ran >> ${join(base, 'marks')}\n`, { mode: 0o755 });
  writeFileSync(join(base, 'outside'), 'outside\n');
  symlinkSync('../outside', join(root, 'link'));
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, env: environment(), stdio: 'ignore' });
  git('init', '-q');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-q', '--allow-empty', '-m', 'Begin');
  git('add', 'a');
  git('config', 'core.fsmonitor', './run');
  git('config', 'core.pager', './run');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const environment = () => ({ PATH: `${root}:/usr/bin:/bin`, HOME: base, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C.UTF-8' });

const programs =
  'ls cat tac nl rev head tail wc cut tr sort uniq diff cmp file stat du realpath readlink md5sum sha1sum sha256sum grep rg sed find echo printf basename dirname seq which uname pwd';
const subcommands =
  'status log show diff diff-tree shortlog rev-list blame ls-files ls-tree cat-file rev-parse merge-base name-rev describe grep branch tag remote stash worktree reflog fetch config apply';
const program = fc.oneof(
  fc.constantFrom(...programs.split(' ')),
  fc.constantFrom(...subcommands.split(' ')).map((name) => `git ${name}`),
);
const letters = 'abcdefghiklmnopqrstuvwxyzABCDEFGHILMNOPRSTUVXZ0123';
const hostile =
  '--output=out --output -o -oout -w -i -i.bak --in-place -exec ./run ; + -delete -fprintf -fls -ok --pre ./run --pre=./run --ext-diff --textconv --open-files-in-pager=./run -O./run --no-index --compress-program=./run -T. --files0-from=a --from-file=a -C -m --magic-file=a -L --follow -R --dereference-recursive -f --file=a --upload-pack=./run --exec=./run -c core.pager=./run -d -D list add drop pop clear prune expire -a -n 1,2p 1e 1w 5p s/a/b/e s/a/b/w e w 1r';
const names = 'a b sub sub/c out prog run link . .. ../outside HEAD HEAD~1 main x -- - /etc/hostname -1 -5 +2';
const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...names.split(' ')) },
  { weight: 2, arbitrary: fc.constantFrom(...letters).map((letter) => `-${letter}`) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...letters), fc.constantFrom(...letters)).map((pair) => `-${pair.join('')}`),
  },
  { weight: 2, arbitrary: fc.constantFrom(...hostile.split(' ')).map((one) => `'${one}'`) },
);
const command = fc.tuple(program, fc.array(word, { maxLength: 4 })).map(([name, words]) => [name, ...words].join(' '));

test('nothing that may run unasked changes a file, writes one or starts a program of the repository', async () => {
  const before = picture();
  const ran = new Map<string, number>();
  for (const text of fc.sample(command, { numRuns: cases * 40, seed })) {
    const judged = judgeCommand(text, []);
    if (judged.kind !== 'look' || (await reachesFarther(root, judged.reach)) !== undefined) continue;
    run(text);
    const name = text
      .split(' ')
      .slice(0, text.startsWith('git ') ? 2 : 1)
      .join(' ');
    ran.set(name, (ran.get(name) ?? 0) + 1);
    expect({ text, now: picture() }).toEqual({ text, now: before });
    if ([...ran.values()].reduce((sum, one) => sum + one, 0) >= cases) break;
  }
  expect(ran.size).toBeGreaterThan(30);
}, 120_000);

function run(text: string): void {
  spawnSync('/bin/bash', ['-c', text], {
    cwd: root,
    env: lookingEnv(root, environment()),
    stdio: 'ignore',
    timeout: 5_000,
  });
}

/** All that there is, but for what git keeps of when it looked. */
function picture(folder = base): string {
  const parts = readdirSync(folder)
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path);
      if (stats.isSymbolicLink()) return [name, readlinkSync(path)];
      if (stats.isDirectory()) return [name, picture(path)];
      return [name, stats.mode, stats.mtimeMs, createHash('sha256').update(readFileSync(path)).digest('hex')];
    });
  return JSON.stringify(parts);
}

test('a command that does more is seen', () => {
  const before = picture();
  run('sort -o out a');
  expect(picture()).not.toBe(before);
});
