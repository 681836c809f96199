import { expect, test } from '@jest/globals';
import { guessBlock, plainBlock } from '@zerd/core/accounting/block-sizes';
import { promptParts } from '@zerd/core/accounting/prompt-parts';
import { wholeRecord } from '@zerd/core/context/compact/record';
import { imageShown } from '@zerd/core/context/image-shown';
import { nameImages } from '@zerd/core/context/name-images';
import { outlineOf } from '@zerd/core/context/outline';
import { takeApart } from '@zerd/core/context/relieve/transcript';
import { renderPrompt } from '@zerd/core/context/render';
import { foldSession } from '@zerd/core/session/fold';
import { imageTokensAfter, shownImages, suspectImages } from '@zerd/core/session/images';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import { assistant, call, compactedThrough, created, finished, log, message, turn } from '../session/events.ts';

function image(name: string, id = '1a2b3c4d5e6f'): Image {
  return { archiveId: id as ArchiveId, name, type: 'image/png', width: 800, height: 600, bytes: 34_120, tokens: 638 };
}

const said = (text: string, ...images: Image[]) => ({ ...message(text), images }) as SessionEvent;
const shot = image('shot.png');
const chart = image('docs/chart.png', '2b3c4d5e6f70');
const read = finished('c1', {
  shown: '[image docs/chart.png]',
  archiveId: '0a0b0c0d0e0f' as ArchiveId,
  images: [chart],
});
const story = [created, turn, said('What is wrong here?', shot), assistant('req_1', call('c1')), read];
const refused = (...images: Image[]): SessionEvent => ({
  kind: 'images.refused',
  turnId: turn.turnId,
  images: images.map(({ archiveId }) => archiveId),
  reason: 'Could not process image',
});
const trimmed: SessionEvent = {
  kind: 'context.trimmed',
  turnId: turn.turnId,
  reason: 'told so',
  calls: ['c1' as CallId],
  inputs: [],
  note: 'cleared',
  keptFrom: 'req_1' as RequestId,
  predicted: { cut: 1, read: 1, kept: 1, rewritten: 1, rent: 1, price: 1, costKept: 1, costTrimmed: 1 },
};

const stateOf = (events: readonly SessionEvent[]) => foldSession(log(...events));
const rendered = (events: readonly SessionEvent[]) => renderPrompt(stateOf(events), 'key');

function check(events: readonly SessionEvent[], expected: readonly unknown[]) {
  expect(rendered(events).messages.flatMap(({ role, blocks }) => (role === 'user' ? blocks : []))).toEqual(expected);
}

const text = (words: string) => ({ kind: 'text', text: words });
const result = (words: string, more: object = {}) => ({
  kind: 'toolResult',
  callId: 'c1',
  text: words,
  isError: false,
  ...more,
});
const shotLine = 'What is wrong here?\n[images above: shot.png, 800x600 PNG, 34 kB]';
const shotNamed = '[image shot.png, 800x600 PNG, 34 kB: not sent, as the provider refused it: Could not process image]';
const chartNamed =
  '[image docs/chart.png, 800x600 PNG, 34 kB: not sent, as the provider refused it: Could not process image]';

test('an image comes in front of the text that speaks of it, which names it, and a result brings its own', () => {
  check(story, [{ kind: 'image', image: shot }, text(shotLine), result('[image docs/chart.png]', { images: [chart] })]);
});

test('facts and files that are handed over stay where they were', () => {
  const handed = {
    ...message('Look'),
    facts: 'Date: today',
    handed: { texts: ['a file'], reads: [] },
    images: [shot, chart],
  };
  check(
    [created, turn, handed as SessionEvent],
    [
      text('a file'),
      { kind: 'image', image: shot },
      { kind: 'image', image: chart },
      text('Date: today\n\nLook\n[images above: shot.png, 800x600 PNG, 34 kB; docs/chart.png, 800x600 PNG, 34 kB]'),
    ],
  );
});

test('I3: what the provider refused is named from there on, by an event that says why, until another model answers', () => {
  check(
    [...story, refused(chart)],
    [{ kind: 'image', image: shot }, text(shotLine), result(`[image docs/chart.png]\n${chartNamed}`)],
  );
  check(
    [...story, refused(chart, shot)],
    [text(`What is wrong here?\n${shotNamed}`), result(`[image docs/chart.png]\n${chartNamed}`)],
  );
  expect(rendered([...story, refused(chart, shot), { kind: 'model.changed', model: 'other/big' }]).messages).toEqual(
    rendered([...story, { kind: 'model.changed', model: 'other/big' }]).messages,
  );
});

test('a trim takes the images of a result away and says how to see them again', () => {
  check(
    [...story, trimmed],
    [
      { kind: 'image', image: shot },
      text(shotLine),
      result('[image docs/chart.png]\n[no longer shown: recall 2b3c4d5e6f70 shows it again]'),
      text('cleared'),
    ],
  );
});

test('suspect are the images that no answered request has held, else all of them', () => {
  const names = (...more: readonly SessionEvent[]) =>
    suspectImages(stateOf([...story, ...more])).map(({ name }) => name);
  expect([
    names(),
    names(assistant('req_2')),
    names(assistant('req_2'), trimmed),
    names(assistant('req_2'), said('And this?', image('new.png', '3c4d5e6f7081'))),
    names(refused(chart)),
    names(refused(chart), refused(shot)),
  ]).toEqual([['docs/chart.png'], ['shot.png', 'docs/chart.png'], ['shot.png'], ['new.png'], ['shot.png'], []]);
});

test('where an image is shown already is said by call, and only while it is shown (I5)', () => {
  const where = (id: ArchiveId, ...more: readonly SessionEvent[]) => imageShown(stateOf([...story, ...more]), id);
  expect([
    where(chart.archiveId),
    where(shot.archiveId),
    where(chart.archiveId, trimmed),
    where(chart.archiveId, refused(chart)),
    where('ffffffffffff' as ArchiveId),
  ]).toEqual([
    { where: 'call 1', leansOn: ['c1'] },
    { where: 'the message of the user', leansOn: [] },
    undefined,
    undefined,
    undefined,
  ]);
});

test('an image counts in tokens for plans, bills, forecasts and budgets, as long as it is sent', () => {
  const state = stateOf(story);
  const [first] = takeApart(state);
  expect([first?.before.at(-1), first?.calls[0]?.images]).toEqual([
    { bytes: 638, class: 'image' },
    { bytes: 638, class: 'image' },
  ]);
  const [gone] = takeApart(stateOf([...story, refused(shot, chart)]));
  expect([gone?.before.length, gone?.calls[0]?.images.bytes]).toEqual([1, 0]);
  expect(takeApart(stateOf([...story, trimmed]))[0]?.calls[0]?.images.bytes).toBe(0);

  const own = renderPrompt(state, 'key').messages.flatMap(({ blocks }) =>
    blocks.map((one) => guessBlock(plainBlock(one))),
  );
  expect(own.map(({ kind, traits }) => [kind, traits[3]])).toEqual([
    ['image', 638],
    ['text', 0],
    ['toolCall', 0],
    ['toolResult', 638],
  ]);

  const parts = promptParts();
  for (const event of log(...story)) parts.apply(event);
  const weights = parts.weights().filter(([{ kind }]) => kind === 'message' || kind === 'result');
  for (const [, weight] of weights) expect(Math.round(weight)).toBeGreaterThan(638);

  expect([imageTokensAfter(state, 0), imageTokensAfter(state, 3), imageTokensAfter(state, 5)]).toEqual([1_276, 638, 0]);
  expect(shownImages(state).map(({ seq, callId }) => [seq, callId])).toEqual([
    [3, undefined],
    [5, 'c1'],
  ]);
});

test('a model that sees none is told what would stand there, and nothing else changes', () => {
  const prompt = rendered(story);
  expect(nameImages(prompt, 'this model cannot see images').messages.map(({ blocks }) => blocks)).toEqual([
    [text('[image shot.png, 800x600 PNG, 34 kB: this model cannot see images]'), text(shotLine)],
    [call('c1')],
    [result('[image docs/chart.png]\n[image docs/chart.png, 800x600 PNG, 34 kB: this model cannot see images]')],
  ]);
  const plain = rendered([created, turn, message('Go')]);
  expect(nameImages(plain, 'why')).toBe(plain);
});

test('a summary names what was shown and how to see it again; what is in the prompt is told block by block', () => {
  expect(wholeRecord(log(...story), 3, 0)).toBe(
    'USER: What is wrong here?\n[image shot.png, 800x600 PNG, 34 kB; recall 1a2b3c4d5e6f shows it again]\n',
  );
  const { messages } = outlineOf(rendered(story), stateOf(story));
  expect(messages.flatMap(({ blocks }) => blocks.map(({ kind, bytes }) => [kind, bytes]))).toEqual([
    ['image', 34_120],
    ['text', Buffer.byteLength(shotLine)],
    ['toolCall', 15],
    ['toolResult', 34_120 + 22],
  ]);
  expect(imageTokensAfter(stateOf([...story, assistant('req_2'), compactedThrough(5)]), 0)).toBe(0);
});
