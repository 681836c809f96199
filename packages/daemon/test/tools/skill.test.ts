import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findSkills } from '@zerd/daemon/skills/find-skills';
import { run } from '@zerd/daemon/tools/skill/run';
import { brief, makeToolRoom, type ToolRoom } from '../support/tool-room.ts';

let room: ToolRoom;
let user: string;

beforeEach(async () => {
  room = await makeToolRoom();
  user = join(dirname(room.root), 'home', '.claude');
});

afterEach(() => room.remove());

function put(file: string, text: string) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const head = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`;

async function load(name: string) {
  const skills = async () => (await findSkills({ root: room.root, userFolders: [user], exclude: [] })).skills;
  return run({ name }, room.with({ skills }));
}

test('a skill of the project is its text behind the head, under the path that a read would give', async () => {
  room.put('.claude/skills/pdf/SKILL.md', `${head('pdf')}\n# Forms\r\nFill in.\n`);
  const result = await load('pdf');
  expect(brief(result)).toEqual({
    outcome: 'ok',
    head: 'skill pdf, in .claude/skills/pdf',
    text: '# Forms\nFill in.',
  });
  expect(result.view).toMatchObject({ path: '.claude/skills/pdf/SKILL.md', first: 6, lines: 7 });
  expect(result.files).toMatchObject([{ path: '.claude/skills/pdf/SKILL.md', how: 'read' }]);
});

test('a skill of the user says where it is and which files belong to it, and gives those by name', async () => {
  const folder = join(user, 'skills/review');
  put(join(folder, 'SKILL.md'), `${head('review')}Look twice.`);
  put(join(folder, 'reference/style.md'), 'Short lines.\n');
  put(join(folder, 'scripts/run.py'), 'print()\n');
  put(join(folder, '.env'), 'KEY=1\n');
  symlinkSync('/etc/passwd', join(folder, 'passwd'));
  const result = await load('review');
  expect(brief(result)).toEqual({
    outcome: 'ok',
    head: `skill review, in ${folder}`,
    text: 'Look twice.\n[files of this skill, for skill {"name":"review/<file>"}: reference/style.md, scripts/run.py]',
  });
  // Nobody watches it, and nothing of it is known as a file of the workspace.
  expect([result.files, result.view?.path]).toEqual([[], 'skill:review']);
  expect(brief(await load('review/reference/style.md'))).toEqual({
    outcome: 'ok',
    head: 'review/reference/style.md',
    text: 'Short lines.',
  });
});

test('nothing outside the folder of a skill is given, links followed (S-51, S-52)', async () => {
  const folder = join(user, 'skills/review');
  put(join(folder, 'SKILL.md'), `${head('review')}Look twice.`);
  put(join(user, 'settings.json'), '{"key":1}');
  symlinkSync(join(user, 'settings.json'), join(folder, 'link'));
  symlinkSync(user, join(folder, 'up'));
  for (const name of ['../../settings.json', 'link', 'up/settings.json', `/${user}/settings.json`, '../review2/x']) {
    expect(brief(await load(`review/${name}`))).toEqual({
      outcome: 'failed',
      text: `review/${name} is no file of the skill review: it lies outside its folder.`,
    });
  }
});

test('what is not there is answered with what there is', async () => {
  put(join(user, 'skills/review/SKILL.md'), `${head('review')}x`);
  put(join(user, 'skills/pdf/SKILL.md'), `${head('pdf')}x`);
  expect(brief(await load('pd'))).toEqual({
    outcome: 'failed',
    text: 'There is no skill "pd". There are: pdf and 1 more (skill list).',
  });
  expect(brief(await load('zzz'))).toMatchObject({ text: 'There is no skill "zzz". There are: pdf, review.' });
  expect(brief(await load('pdf/a.md'))).toEqual({
    outcome: 'failed',
    text: 'pdf/a.md does not exist. Files of this skill: none.',
  });
  expect(brief(await run({ name: 'pdf' }, room.context))).toEqual({
    outcome: 'failed',
    text: 'There is no skill "pdf". There are none.',
  });
});

test('the list is everything with what it does', async () => {
  put(join(user, 'skills/review/SKILL.md'), `${head('review')}x`);
  room.put('.zerd/skills/pdf/SKILL.md', `${head('pdf')}x`);
  expect(brief(await load('list'))).toEqual({
    outcome: 'ok',
    head: '2 skills',
    text: 'pdf: Does pdf.\nreview: Does review.',
  });
});

test('what is too large or no text is no skill', async () => {
  room.put('.zerd/skills/big/SKILL.md', `${head('big')}${'x\n'.repeat(600_000)}`);
  room.put(
    '.zerd/skills/late/SKILL.md',
    Buffer.concat([Buffer.from(`${head('late')}${'x\n'.repeat(10_000)}`), Buffer.alloc(9)]),
  );
  expect(brief(await load('big'))).toMatchObject({ outcome: 'failed', text: expect.stringContaining('too large') });
  expect(brief(await load('late'))).toMatchObject({ outcome: 'failed', text: expect.stringContaining('is no text') });
});
