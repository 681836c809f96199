import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { systemPrompt } from '@zerd/core/context/system-prompt';
import { foldSession } from '@zerd/core/session/fold';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Step } from '@zerd/simulator/players/player';
import { listSkills, skillWarnings } from '../../src/runner/skills.ts';
import { closeScene, compact, only, open, prose, sayOn, scene } from './compaction-scene.ts';

afterEach(closeScene);

function put(file: string, text: string) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const skillText = (name: string, body: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n${body}\n`;
const body = Array.from({ length: 40 }, (_, i) => `${i + 1}. Do this and then that.`).join('\n');
const other = body.replaceAll('Do this', 'Look');
const skill = (name: string): Step => ({ calls: [{ name: 'skill', input: { name } }] });
const created = (sessionId: SessionId) => foldSession(scene.events(sessionId)).created;
const toolNames = (sessionId: SessionId) =>
  (JSON.parse(created(sessionId).tools) as { name: string }[]).map(({ name }) => name);
const results = (sessionId: SessionId) =>
  only(scene.events(sessionId), 'toolCall.finished').map((event) => event.shown);
const start = async (more = {}) =>
  (await scene.runner.createSession({ env: scene.env, mode: 'read-only', trust: true, ...more })).sessionId;

test('without skills neither the system text nor the tools say anything of them', async () => {
  await open({});
  const sessionId = await start();
  expect(created(sessionId).system).toBe(systemPrompt);
  expect(toolNames(sessionId)).not.toContain('skill');
});

test('the list is frozen with the session, and only a new one has what came since (I2, I3)', async () => {
  await open({ steps: [{ text: 'Well.' }] });
  scene.env.HOME = join(scene.folder, 'home');
  put(join(scene.root, '.claude/skills/pdf/SKILL.md'), skillText('pdf', body));
  put(join(scene.folder, 'home/.agents/skills/review/SKILL.md'), skillText('review', body));
  const sessionId = await start();
  const list =
    '\n\nSkills, loaded by name with the skill tool before work that they fit:\npdf: Does pdf.\nreview: Does review.';
  expect(created(sessionId).system).toBe(systemPrompt + list);
  expect(toolNames(sessionId)).toContain('skill');
  put(join(scene.root, '.zerd/skills/new/SKILL.md'), skillText('new', body));
  await sayOn(sessionId, 'Go');
  expect(JSON.stringify(scene.gateway.requests.at(-1)?.body)).not.toContain('Does new.');
  expect(created(await start()).system).toContain('\nnew: Does new.\n');
});

test('the user says how much the list may take, in the environment before the configuration', async () => {
  await open({ config: { skills: { limit: 8, exclude: ['no-*'] } } });
  for (const name of ['alpha', 'beta', 'no-more'])
    put(join(scene.root, `.zerd/skills/${name}/SKILL.md`), skillText(name, body));
  expect(created(await start()).system).toMatch(/fit:\nalpha, beta$/);
  scene.env.ZERD_SKILL_LIMIT = '200';
  expect(created(await start()).system).toMatch(/fit:\nalpha: Does alpha\.\nbeta: Does beta\.$/);
  scene.env.ZERD_SKILL_LIMIT = '0';
  const none = await start();
  expect(created(none).system).toBe(systemPrompt);
  expect(toolNames(none)).not.toContain('skill');
  scene.env.ZERD_SKILL_LIMIT = 'many';
  await expect(start()).rejects.toMatchObject({ code: 'invalid_params' });
});

test('the skills that may be loaded are listed for people; before trust yours alone (I7)', async () => {
  await open({});
  put(join(scene.root, '.zerd/skills/pdf/SKILL.md'), skillText('pdf', body));
  put(join(scene.folder, 'home/.claude/skills/review/SKILL.md'), skillText('review', other));
  const env = { HOME: join(scene.folder, 'home') };
  const readConfig = () => ({ file: join(scene.folder, 'config.json'), skills: {} }) as never;
  const listed = (trusted: boolean) =>
    listSkills({ root: scene.root, trust: { trusted: () => trusted }, readConfig }, env);
  const review = {
    name: 'review',
    description: 'Does review.',
    path: expect.stringMatching(/skills\/review\/SKILL.md$/),
  };
  expect(await listed(false)).toEqual({ skills: [review] });
  const pdf = { name: 'pdf', description: 'Does pdf.', path: '.zerd/skills/pdf/SKILL.md' };
  expect((await listed(true)).skills).toEqual(expect.arrayContaining([pdf, review]));
});

test('before trust nothing of the project’s skills is told (I7)', async () => {
  await open({});
  put(join(scene.root, '.zerd/skills/bad/SKILL.md'), 'no head');
  put(join(scene.folder, 'home/.claude/skills/worse/SKILL.md'), 'no head');
  const env = { HOME: join(scene.folder, 'home') };
  const readConfig = () => ({ file: join(scene.folder, 'config.json'), skills: {} }) as never;
  const told = (trusted: boolean) =>
    skillWarnings({ root: scene.root, trust: { trusted: () => trusted }, readConfig }, env);
  expect(await told(false)).toEqual([expect.stringContaining('.claude/skills/worse/SKILL.md')]);
  expect(await told(true)).toEqual([
    expect.stringContaining('.zerd/skills/bad/SKILL.md'),
    expect.stringContaining('.claude/skills/worse/SKILL.md'),
  ]);
});

test('a skill that is still visible is pointed to, also by a read of its file; a changed one is told by its diff', async () => {
  const steps = [skill('pdf'), skill('pdf'), skill('review'), skill('review'), skill('review/a.md')];
  const read: Step = { calls: [{ name: 'read', input: { path: '.zerd/skills/pdf/SKILL.md', offset: 6 } }] };
  await open({ steps: [...steps, read, { text: 'Done.' }, skill('pdf'), { text: 'Done.' }] });
  scene.env.HOME = join(scene.folder, 'home');
  put(join(scene.root, '.zerd/skills/pdf/SKILL.md'), skillText('pdf', body));
  put(join(scene.folder, 'home/.claude/skills/review/SKILL.md'), skillText('review', other));
  put(join(scene.folder, 'home/.claude/skills/review/a.md'), 'More.\n');
  const sessionId = await start();
  await sayOn(sessionId, 'Go');
  expect(results(sessionId)).toEqual([
    `skill pdf, in .zerd/skills/pdf\n${body}`,
    expect.stringMatching(/^\[\.zerd\/skills\/pdf\/SKILL\.md unchanged since call 1: lines 5-44 above/),
    expect.stringMatching(/^skill review, in .+\/home\/\.claude\/skills\/review\n1\. Look/),
    expect.stringMatching(
      /^\[skill:review unchanged since call 3: lines 5-44 above.+\n\[files of this skill.+: a\.md\]$/,
    ),
    'review/a.md\nMore.',
    expect.stringMatching(/^\[\.zerd\/skills\/pdf\/SKILL\.md unchanged since call 1/),
  ]);
  put(
    join(scene.root, '.zerd/skills/pdf/SKILL.md'),
    skillText('pdf', body.replace('20. Do this', '20. Never do this')),
  );
  await sayOn(sessionId, 'Again');
  expect(only(scene.events(sessionId), 'reminder.added')).toMatchObject([
    { text: expect.stringContaining('+20. Never do this and then that.') },
  ]);
});

test('P106: after a compaction notes and steps are there word for word with their states, and loaded skills by name', async () => {
  const list = '[x] look\n[>] mend `a*b` <here>\n[ ] \u{1f642} tell';
  const notes = { goal: 'Make it fast.\n\n  - without a new parser', decisions: 'Keep call 12.' };
  let answered = 0;
  await open({
    files: { 'a.txt': 'long line of text to read again\n'.repeat(400) },
    player: ({ messages }) => {
      const last = messages.at(-1)?.parts.at(-1);
      if (last?.kind === 'text' && last.text.startsWith('Write a summary')) return { aside: true, text: prose };
      answered += 1;
      if (answered === 1)
        return {
          calls: [
            { name: 'notes', input: notes },
            { name: 'todo', input: { list } },
          ],
        };
      if (answered === 2) return skill('pdf');
      if (answered > 16) return { text: 'Done.' };
      return { calls: [{ name: 'read', input: { path: 'a.txt', offset: answered * 20, limit: 20 } }] };
    },
  });
  put(join(scene.root, '.zerd/skills/pdf/SKILL.md'), skillText('pdf', body));
  const sessionId = await start();
  await sayOn(sessionId, 'Go');
  expect(await compact(sessionId)).toMatchObject({ outcome: 'done' });
  const [compacted] = only(scene.events(sessionId), 'context.compacted');
  expect(compacted?.summary).toContain(`## YOUR TODO LIST\n${list}\n`);
  expect(compacted?.summary).toContain(`## YOUR NOTES\nGoal:\n${notes.goal}\nDecisions: ${notes.decisions}\n`);
  expect(compacted?.summary).toContain('## SKILLS LOADED\npdf. ');
  await sayOn(sessionId, 'Go on');
  const next = scene.gateway.requests.at(-1)?.conversation.messages[0]?.parts[0];
  expect(next).toEqual({ kind: 'text', text: compacted?.summary });
  expect(scene.gateway.requests.every(({ refusal }) => refusal === null)).toBe(true);
  // The list was open for ten requests and more: it was recalled in between, and the prefix held.
  expect(only(scene.events(sessionId), 'reminder.added').map(({ about }) => about)).toEqual([
    { kind: 'todoStale', requests: 10 },
  ]);
  const requests = only(scene.events(sessionId), 'request.started').map(({ segments }) => segments);
  const until = requests.findIndex((segments, i) => i > 0 && segments.length < (requests[i - 1]?.length ?? 0));
  for (const [i, now] of requests.slice(0, until).entries()) {
    const before = (requests[i - 1] ?? []).slice(0, -1);
    expect(now.slice(0, before.length)).toEqual(before);
  }
});
