import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { QuestionId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import { noStatus } from '../src/app/status.ts';
import { createTalk } from '../src/app/talk.ts';

const turnId = 'turn_1' as TurnId;
const question = {
  questionId: 'que_1' as QuestionId,
  turnId,
  text: 'Which port?',
  options: ['80', '8080'],
  askedAt: 1,
};

/** A session that works and asks; what is said to it is sent nowhere but here. */
function scene(takesText: typeof question | undefined) {
  const sent: (readonly [string, object])[] = [];
  const request = async (method: string, params: object) => {
    if (method === 'skill/list')
      return { skills: [{ name: 'tidy', description: 'Tidies.', path: '.zerd/skills/tidy/SKILL.md' }] };
    return void sent.push([method, params]);
  };
  const link = { sessionId: 'ses_1' as SessionId, feed: { request }, close() {} };
  const session = { link, orBegun: async () => link, status: { ...noStatus, turnId } };
  const talk = createTalk({ session, ask: { takesText }, trust: false, desk: async () => link } as never);
  return { talk, sent };
}

test('a number answers as the option, other words as they are', async () => {
  const { talk, sent } = scene(question);
  for (const words of ['2', 'whatever is free']) await talk.perform(words, false);
  const base = { sessionId: 'ses_1', questionId: 'que_1' };
  expect(sent).toEqual([
    ['question/answer', { ...base, answer: '8080' }],
    ['question/answer', { ...base, answer: 'whatever is free' }],
  ]);
});

test('a number that is no option is refused, and goes to nobody', async () => {
  const { talk, sent } = scene(question);
  await expect(talk.perform('3', false)).rejects.toThrow(
    'There is no option 3, only 1. 80, 2. 8080. Choose one, or answer in words. Nothing was sent.',
  );
  expect(sent).toEqual([]);
});

test('a skill is called as a command is, and what is neither is not sent to the model by mistake', async () => {
  const { talk, sent } = scene(undefined);
  await talk.perform('/tidy', false);
  await talk.perform('/tidy the tests', false);
  await expect(talk.perform('/tdiy', false)).rejects.toThrow(
    'There is no command and no skill /tdiy: /help lists them.',
  );
  const said = (text: string) => ['turn/steer', { sessionId: 'ses_1', text, expectedTurnId: turnId }];
  expect(sent).toEqual([
    said('Use the skill tidy (.zerd/skills/tidy/SKILL.md).'),
    said('Use the skill tidy (.zerd/skills/tidy/SKILL.md): the tests'),
  ]);
});

test('where nothing is asked a number is said as it is', async () => {
  const { talk, sent } = scene(undefined);
  await talk.perform('3', false);
  expect(sent).toEqual([['turn/steer', { sessionId: 'ses_1', text: '3', expectedTurnId: turnId }]]);
});

test('an image that is named by its whole path goes along with what is said', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zerd-talk-'));
  try {
    const shot = join(folder, 'shot.png');
    writeFileSync(shot, 'ABC');
    const { talk, sent } = scene(undefined);
    await talk.perform(`What is wrong in @${shot}?`, true);
    const images = [{ name: shot, data: 'QUJD' }];
    expect(sent).toEqual([['turn/queue', { sessionId: 'ses_1', text: `What is wrong in @${shot}?`, images }]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
