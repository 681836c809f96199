/** S-56: repositories that name programs for git to run. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import { reachesFarther } from '../../src/permissions/reaches-farther.ts';
import { git } from '../../src/processes/git.ts';
import { lookingEnv } from '../../src/processes/looking-env.ts';
import { gatherFacts } from '../../src/runner/facts.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-git-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const env = { PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: '1' };
const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
const plain = (folder: string, ...args: readonly string[]) =>
  spawnSync('git', [...identity, ...args], { cwd: folder, env, stdio: 'ignore', timeout: 10_000 });

function repository(name: string): string {
  const folder = join(base, name);
  mkdirSync(folder);
  plain(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  plain(folder, 'add', '.');
  plain(folder, 'commit', '-qm', 'Begin');
  writeFileSync(join(folder, 'a.txt'), 'changed\n');
  return folder;
}

interface Trap {
  readonly says: string;
  /** `touch`: a program that leaves the mark. */
  readonly set: (folder: string, touch: string) => unknown;
  /** What an unguarded git would spring it with. */
  readonly springs: readonly string[];
}

const config = (name: string) => (folder: string, touch: string) => plain(folder, 'config', name, touch);
const attributes = (folder: string, text: string) => writeFileSync(join(folder, '.git/info/attributes'), text);

const traps: readonly Trap[] = [
  { says: 'a file monitor', set: config('core.fsmonitor'), springs: ['status'] },
  {
    says: 'a filter for what is read in',
    set(folder, touch) {
      plain(folder, 'config', 'filter.x.clean', `${touch}; cat`);
      attributes(folder, '* filter=x\n');
    },
    springs: ['diff'],
  },
  {
    says: 'a filter that is a process',
    set(folder, touch) {
      plain(folder, 'config', 'filter.x.process', touch);
      attributes(folder, '* filter=x\n');
    },
    springs: ['diff'],
  },
  {
    says: 'a filter in an included file',
    set(folder, touch) {
      writeFileSync(join(folder, '.git/more'), `[filter "x"]\n\tclean = "${touch}; cat"\n`);
      plain(folder, 'config', 'include.path', 'more');
      attributes(folder, '* filter=x\n');
    },
    springs: ['diff'],
  },
  { says: 'a diff program', set: config('diff.external'), springs: ['diff'] },
  {
    says: 'a text converter',
    set(folder, touch) {
      plain(folder, 'config', 'diff.x.textconv', touch);
      attributes(folder, '* diff=x\n');
    },
    springs: ['diff'],
  },
  {
    says: 'hooks of every name',
    set(folder, touch) {
      for (const name of ['post-index-change', 'reference-transaction', 'pre-commit', 'post-checkout']) {
        writeFileSync(join(folder, '.git/hooks', name), `#!/bin/sh\n${touch}\n`);
        chmodSync(join(folder, '.git/hooks', name), 0o755);
      }
    },
    springs: ['add', '.'],
  },
  {
    says: 'a folder of hooks of its own',
    set(folder, touch) {
      mkdirSync(join(folder, 'hooks'));
      writeFileSync(join(folder, 'hooks/post-index-change'), `#!/bin/sh\n${touch}\n`, { mode: 0o755 });
      plain(folder, 'config', 'core.hooksPath', 'hooks');
    },
    springs: ['add', '.'],
  },
  {
    says: 'a promise of objects that a program would fetch',
    set(folder, touch) {
      plain(folder, 'config', 'remote.origin.url', `ext::sh -c "${touch}"`);
      plain(folder, 'config', 'protocol.ext.allow', 'always');
      plain(folder, 'config', 'remote.origin.promisor', 'true');
      plain(folder, 'config', 'extensions.partialClone', 'origin');
      const lost = execFileSync('git', ['rev-parse', 'HEAD:a.txt'], { cwd: folder, env, encoding: 'utf8' }).trim();
      rmSync(join(folder, '.git/objects', lost.slice(0, 2)), { recursive: true });
    },
    springs: ['fetch', 'origin'],
  },
  { says: 'an alias', set: (folder, touch) => plain(folder, 'config', 'alias.facts', `!${touch}`), springs: ['facts'] },
  {
    says: 'an editor',
    set: config('core.editor'),
    springs: ['commit', '-a'],
  },
  {
    says: 'a program that signs',
    set(folder, touch) {
      plain(folder, 'config', 'gpg.program', touch);
      plain(folder, 'config', 'commit.gpgSign', 'true');
    },
    springs: ['commit', '-qam', 'x'],
  },
];

const reach = { paths: [], files: [], git: true };
const looks = [
  'status',
  'diff',
  'log -p --stat',
  'show',
  'blame a.txt',
  'ls-files -m',
  'branch -v',
  'grep x',
  'stash list',
];

/** What a session may run without asking. */
async function look(folder: string): Promise<void> {
  if ((await reachesFarther(folder, reach)) !== undefined) return;
  const around = lookingEnv(folder, { PATH: env.PATH ?? '', HOME: base, GIT_CONFIG_NOSYSTEM: '1' });
  for (const words of looks) {
    const { status } = spawnSync('git', words.split(' '), {
      cwd: folder,
      env: around,
      stdio: 'ignore',
      timeout: 10_000,
    });
    expect([words, status === null]).toEqual([words, false]);
  }
}

traps.forEach(({ says, set, springs }, index) => {
  test(`S-56: a repository with ${says} gets nothing run`, async () => {
    const folder = repository(`trap-${index}`);
    const mark = join(base, `sprung-${index}`);
    const program = join(base, `touch-${index}`);
    writeFileSync(program, `#!/bin/sh\necho sprung > ${mark}\n`, { mode: 0o755 });
    set(folder, program);
    await gatherFacts(folder, systemClock);
    await git(folder, ['symbolic-ref', '--short', '-q', 'HEAD']);
    await git(folder, ['ls-files', '--others', '--exclude-standard', '--directory', '-z']);
    await look(folder);
    expect(existsSync(mark)).toBe(false);
    // The trap is one.
    plain(folder, ...springs);
    expect(existsSync(mark)).toBe(true);
  });
});

test('S-56: a bare repository among the files is none for git', async () => {
  const folder = repository('bare-inside');
  const inside = join(folder, 'inside');
  plain(folder, 'init', '-q', '--bare', inside);
  expect(await git(inside, ['config', '--list', '--local'])).toBeUndefined();
});

test('S-56: what looks is asked about where the repository names programs, or has submodules', async () => {
  const asks = async (...settings: readonly string[]) => {
    const folder = repository(`named-${settings.join('-')}`);
    if (settings.length > 0) plain(folder, 'config', settings.join('.'), 'x');
    return reachesFarther(folder, reach);
  };
  const why = 'the settings of the repository name programs for git to run';
  expect(await asks()).toBeUndefined();
  expect(await asks('core', 'editor')).toBeUndefined();
  for (const named of ['filter.x.clean', 'diff.external', 'diff.x.textconv', 'gpg.program', 'submodule.x.url'])
    expect([named, await asks(...named.split('.'))]).toEqual([named, why]);
  const folder = repository('with-modules');
  writeFileSync(join(folder, '.gitmodules'), '');
  expect(await reachesFarther(folder, reach)).toBe(why);
});

test('S-56: a submodule without a name is not looked into, and settings of the user stay', async () => {
  const folder = repository('outer');
  const mark = join(base, 'sprung-by-module');
  const inner = join(folder, 'inner');
  mkdirSync(inner);
  plain(inner, 'init', '-q');
  plain(inner, 'commit', '-q', '--allow-empty', '-m', 'Begin');
  writeFileSync(join(inner, 'new'), '');
  plain(folder, 'add', 'inner');
  plain(inner, 'config', 'core.fsmonitor', `touch ${mark}; true`);
  await look(folder);
  expect(existsSync(mark)).toBe(false);
  plain(folder, 'status');
  expect(existsSync(mark)).toBe(true);
  const around = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Somebody' };
  const found = spawnSync('git', ['config', 'user.name'], {
    env: lookingEnv(folder, { ...around, PATH: env.PATH ?? '', HOME: base }),
    encoding: 'utf8',
  });
  expect(found.stdout).toBe('Somebody\n');
});

test('S-56: a command that looks finds no program in the repository', () => {
  const path = `${join(base, 'r/node_modules/.bin')}:.:relative:/usr/bin`;
  expect(lookingEnv(join(base, 'r'), { PATH: path }).PATH).toBe('/usr/bin');
});

test('S-56: no other place of the daemon runs git', () => {
  const source = join(import.meta.dirname, '../../src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const calling = files.filter((name) =>
    /(?:execFile|execFileSync|spawn|spawnSync|exec|execSync)\(\s*['"`](?:\S*\/)?git\b/.test(
      readFileSync(join(source, name), 'utf8'),
    ),
  );
  expect(calling).toEqual(['processes/git.ts']);
});
