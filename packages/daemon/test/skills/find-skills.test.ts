import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { skillList } from '@zerd/core/skills/list';
import { findSkills } from '@zerd/daemon/skills/find-skills';

let top: string;
let root: string;
let user: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'skills-')));
  root = join(top, 'work');
  user = join(top, 'home', '.claude');
  mkdirSync(root);
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

function put(file: string, text: string | Buffer) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const head = (name: string, description = `Does ${name}.`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`;

async function find(more: Partial<Parameters<typeof findSkills>[0]> = {}) {
  const { skills, warnings } = await findSkills({ root, userFolders: [user], exclude: [], ...more });
  return { skills: skills.map(({ name, path, description }) => `${name} ${path}: ${description}`), warnings };
}

test('the project’s skills are found in its three folders, the user’s in theirs, by name', async () => {
  put(join(root, '.zerd/skills/zeta/SKILL.md'), head('zeta'));
  put(join(root, '.agents/skills/mid/SKILL.md'), head('mid'));
  put(join(root, '.claude/skills/folder-name/SKILL.md'), '---\ndescription: >\n  Two\n  lines.\n---\n');
  put(join(user, 'skills/alpha/SKILL.md'), head('alpha', '"With: a colon."'));
  put(join(user, 'skills/not-a-skill/README.md'), 'x');
  put(join(user, 'skills/loose.md'), 'x');
  expect(await find()).toEqual({
    skills: [
      `alpha ${user}/skills/alpha/SKILL.md: With: a colon.`,
      'folder-name .claude/skills/folder-name/SKILL.md: Two lines.',
      'mid .agents/skills/mid/SKILL.md: Does mid.',
      'zeta .zerd/skills/zeta/SKILL.md: Does zeta.',
    ],
    warnings: [],
  });
});

test('before trust nothing of the project is looked at, the user’s skills are there (I7, S-22)', async () => {
  put(join(root, '.zerd/skills/evil/SKILL.md'), head('evil'));
  put(join(user, 'skills/alpha/SKILL.md'), head('alpha'));
  expect((await find({ root: undefined })).skills).toEqual([`alpha ${user}/skills/alpha/SKILL.md: Does alpha.`]);
});

test('the project’s skill stands before the user’s of the same name, which is said', async () => {
  put(join(root, '.agents/skills/pdf/SKILL.md'), head('pdf'));
  put(join(user, 'skills/pdf/SKILL.md'), head('pdf'));
  expect(await find()).toEqual({
    skills: ['pdf .agents/skills/pdf/SKILL.md: Does pdf.'],
    warnings: [
      `${user}/skills/pdf/SKILL.md: there is a skill pdf already, in .agents/skills/pdf/SKILL.md; this one is left out.`,
    ],
  });
});

test('what leads out of the workspace is refused, be it the file, its folder or the one of all (S-51)', async () => {
  put(join(top, 'elsewhere/secret/SKILL.md'), head('secret'));
  mkdirSync(join(root, '.zerd/skills/by-file'), { recursive: true });
  symlinkSync(join(top, 'elsewhere/secret/SKILL.md'), join(root, '.zerd/skills/by-file/SKILL.md'));
  symlinkSync(join(top, 'elsewhere/secret'), join(root, '.zerd/skills/by-folder'));
  mkdirSync(join(root, '.claude'));
  symlinkSync(join(top, 'elsewhere'), join(root, '.claude/skills'));
  expect(await find()).toEqual({
    skills: [],
    warnings: [
      '.zerd/skills/by-file/SKILL.md leads out of the workspace; it is left out.',
      '.zerd/skills/by-folder/SKILL.md leads out of the workspace; it is left out.',
      '.claude/skills/SKILL.md leads out of the workspace; it is left out.',
    ],
  });
});

test('links within the workspace and between the user’s folders are followed, and a skill under two names is one', async () => {
  put(join(root, '.agents/skills/pdf/SKILL.md'), head('pdf'));
  mkdirSync(join(root, '.claude'));
  symlinkSync('../.agents/skills', join(root, '.claude/skills'));
  put(join(top, 'dotfiles/review/SKILL.md'), head('review'));
  mkdirSync(join(user, 'skills'), { recursive: true });
  symlinkSync(join(top, 'dotfiles/review'), join(user, 'skills/review'));
  expect(await find()).toEqual({
    skills: ['pdf .claude/skills/pdf/SKILL.md: Does pdf.', `review ${user}/skills/review/SKILL.md: Does review.`],
    warnings: [],
  });
});

test('a head is nothing but YAML text: tags make nothing, and no code runs', async () => {
  const marker = join(top, 'ran');
  put(
    join(root, '.zerd/skills/js/SKILL.md'),
    `---js\n{ name: 'js', description: require('fs').writeFileSync(${JSON.stringify(marker)}, '') }\n---\n`,
  );
  put(
    join(root, '.zerd/skills/tag/SKILL.md'),
    `---\nname: tag\ndescription: !!js/function "function () { require('fs').writeFileSync('${marker}', '') }"\n---\n`,
  );
  put(
    join(root, '.zerd/skills/typed/SKILL.md'),
    '---\nname: 2024\ndescription: yes\n__proto__: { description: x }\n---\n',
  );
  const { skills, warnings } = await find();
  expect(skills).toEqual([
    '2024 .zerd/skills/typed/SKILL.md: yes',
    `tag .zerd/skills/tag/SKILL.md: function () { require('fs').writeFileSync('${marker}', '') }`,
  ]);
  expect(warnings).toEqual([
    '.zerd/skills/js/SKILL.md does not begin with a head between two lines `---`; it is left out.',
  ]);
  expect(existsSync(marker)).toBe(false);
});

test('broken heads, bombs, pipes and what is no text are said and never stop the others', async () => {
  const skills = join(root, '.zerd/skills');
  put(join(skills, 'good/SKILL.md'), head('good'));
  put(join(skills, 'colon/SKILL.md'), '---\nname: colon\ndescription: Use when: asked\n---\n');
  put(join(skills, 'binary/SKILL.md'), Buffer.from([0, 1, 2]));
  put(join(skills, 'endless/SKILL.md'), `---\nname: x\n${'#'.repeat(40_000)}`);
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x]',
    ...'bcdefgh'.split('').map((c, i) => `${c}: &${c} [${Array(8).fill(`*${'abcdefgh'[i]}`)}]`),
  ];
  put(join(skills, 'bomb/SKILL.md'), `---\n${bomb.join('\n')}\ndescription: *h\n---\n`);
  mkdirSync(join(skills, 'pipe'));
  execFileSync('mkfifo', [join(skills, 'pipe/SKILL.md')]);
  const found = await find();
  expect(found.skills).toEqual(['good .zerd/skills/good/SKILL.md: Does good.']);
  expect(found.warnings).toEqual([
    '.zerd/skills/binary/SKILL.md is no text in UTF-8; it is left out.',
    expect.stringMatching(/^\.zerd\/skills\/bomb\/SKILL\.md has a head that is not YAML: .+; it is left out\.$/),
    expect.stringMatching(/^\.zerd\/skills\/colon\/SKILL\.md has a head that is not YAML: Nested mappings/),
    '.zerd/skills/endless/SKILL.md has a head without end: a line `---` is missing; it is left out.',
    '.zerd/skills/pipe/SKILL.md is no regular file; it is left out.',
  ]);
});

test('of 864 skills every one is named or counted, those that the user excludes aside', async () => {
  for (let i = 0; i < 864; i += 1)
    put(join(user, `skills/s${i}/SKILL.md`), head(`gmail-automation-${i}`, 'Automates mail. '.repeat(6)));
  const { skills, warnings } = await findSkills({ root, userFolders: [user], exclude: ['*-7??'] });
  expect(warnings).toEqual([]);
  expect(skills).toHaveLength(764);
  const list = skillList(skills, 2_000);
  const more = Number(/and (\d+) more: skill list$/.exec(list)?.[1]);
  expect(list.split(', ').length - 1 + more).toBe(764);
});
