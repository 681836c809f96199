import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { RecordedRequest } from '@zerd/simulator/gateway/record';
import { png } from '../../../../test/support/images.ts';
import { only } from './compaction-scene.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

const shot = png(800, 600);
const other = png(320, 200, 7);
const wires = ['anthropic', 'responses', 'chat'] as const;

async function open(
  wish: SceneWish = {},
  files: Readonly<Record<string, Buffer>> = { 'shot.png': shot, 'b.png': other },
) {
  scene = await openScene({ modelFacts: { images: true }, ...wish });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(scene.root, name), bytes);
  return scene;
}

/** The images of a request, by how many pixels they say they are. */
function shownIn(request: RecordedRequest | undefined): readonly string[] {
  const parts = request?.conversation.messages.flatMap((message) => message.parts) ?? [];
  return parts.flatMap((part) => {
    if (part.kind !== 'image') return [];
    const bytes = Buffer.from(part.data, 'base64');
    return [`${part.mediaType} ${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`];
  });
}

function textIn(request: RecordedRequest | undefined): string {
  const parts = request?.conversation.messages.flatMap((message) => message.parts) ?? [];
  return parts.map((part) => (part.kind === 'text' || part.kind === 'result' ? part.text : '')).join('\n');
}

const readShot = { calls: [{ name: 'read', input: { path: 'shot.png' } }] };
const submitted = (events: readonly LoggedEvent[]) => only(events, 'message.submitted');
const done = { kind: 'turn.finished', outcome: 'done' };

test.each(wires)(
  'over %s a model sees the image that it reads, and the log holds what it is and never its bytes',
  async (wire) => {
    const { say, gateway, events } = await open({ wire, steps: [readShot, { text: 'A button is cut off.' }] });
    const { sessionId, end } = await say('Look at shot.png');
    expect(await end).toMatchObject(done);
    expect(gateway.requests.map(({ refusal }) => refusal)).toEqual([null, null]);
    expect(gateway.requests.map(shownIn)).toEqual([[], ['image/png 800x600']]);
    expect(only(events(sessionId), 'toolCall.finished')).toMatchObject([
      {
        outcome: 'ok',
        shown: expect.stringMatching(/^\[image shot\.png, 800x600 PNG, \d+ kB\]/),
        images: [{ name: 'shot.png', type: 'image/png', width: 800, height: 600, bytes: shot.length, tokens: 638 }],
      },
    ]);
    expect(JSON.stringify(events(sessionId))).not.toContain(shot.toString('base64').slice(0, 40));
  },
);

test.each(wires)(
  'over %s an image that the text names, and one that a client sends, go in front of it',
  async (wire) => {
    const { say, gateway, events } = await open({ wire, steps: [{ text: 'Both.' }] });
    const images = [{ name: 'pasted.png', data: other.toString('base64') }];
    const { sessionId, end } = await say('Compare with @shot.png, please.', { images });
    expect(await end).toMatchObject(done);
    expect(gateway.requests.map(shownIn)).toEqual([['image/png 320x200', 'image/png 800x600']]);
    expect(submitted(events(sessionId))[0]?.images?.map(({ name }) => name)).toEqual(['pasted.png', 'shot.png']);
    expect(textIn(gateway.requests[0])).toMatch(
      /Compare with @shot\.png, please\.\n\[images above: pasted\.png, 320x200 PNG, 1 kB; shot\.png, 800x600 PNG, \d+ kB\]/,
    );
  },
);

test('a model that is not known to see is told of each image, and counts none', async () => {
  const { say, gateway, events } = await open({ modelFacts: {}, steps: [readShot, { text: 'I cannot see it.' }] });
  const { sessionId, end } = await say('What is in @b.png?');
  await end;
  expect(gateway.requests.map(shownIn)).toEqual([[], []]);
  expect(textIn(gateway.requests[1])).toContain('[image b.png, 320x200 PNG, 1 kB: this model cannot see images]');
  expect(textIn(gateway.requests[1])).toMatch(/\[image shot\.png, 800x600 PNG, \d+ kB: this model cannot see images\]/);
  expect(only(events(sessionId), 'toolCall.finished')[0]?.images?.[0]?.tokens).toBe(0);
});

test.each(wires)('I2 over %s: after a restart the same bytes are sent, images included', async (wire) => {
  const { say, gateway, env } = await open({ wire, steps: [readShot, { text: 'Seen.' }, { text: 'Still.' }] });
  const { sessionId, end } = await say('Look at @b.png');
  await end;
  await scene.restart();
  rmSync(join(scene.root, 'shot.png'));
  rmSync(join(scene.root, 'b.png'));
  await scene.runner.startTurn({ env, sessionId, text: 'And now?', trust: true });
  while (only(scene.events(sessionId), 'turn.finished').length < 2)
    await new Promise((resolve) => setTimeout(resolve, 2));
  const [, before, after] = gateway.requests;
  expect(shownIn(after)).toEqual(['image/png 320x200', 'image/png 800x600']);
  expect(after?.conversation.messages.slice(0, 3)).toEqual(before?.conversation.messages);
  expect(after?.cache?.read).toBeGreaterThan(1_000);
});

test('an image that is shown already is pointed at, and shown again once it changed', async () => {
  const again = { calls: [{ name: 'read', input: { path: 'b.png' } }] };
  const { say, gateway, events } = await open({
    player: ({ messages }) => {
      const calls = messages.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'call')).length;
      if (calls === 2) writeFileSync(join(scene.root, 'b.png'), png(64, 48));
      return calls < 3 ? again : { text: 'Done.' };
    },
  });
  const { sessionId, end } = await say('Look twice');
  await end;
  expect(gateway.requests.map(shownIn).at(-1)).toEqual(['image/png 320x200', 'image/png 64x48']);
  const [first, second] = only(events(sessionId), 'toolCall.finished');
  expect(second).toMatchObject({
    shown: '[image b.png, 320x200 PNG, 1 kB]\n[it is the image of call 1, above]',
    leansOn: [first?.callId],
  });
  expect(second?.images).toBeUndefined();
});

const words: Readonly<Record<(typeof wires)[number], string>> = {
  anthropic: 'messages.2.content.0.tool_result.content.1.image.source.base64: image exceeds 10 MB maximum',
  responses: 'The image data you provided does not represent a valid image.',
  chat: "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png'].",
};

test.each(wires)(
  'over %s a refused image is named from then on, once, and the turn goes on (claude-code#10395)',
  async (wire) => {
    const { say, gateway, events, runner } = await open({
      wire,
      steps: [readShot, { text: 'Then without it.' }, { text: 'Yes.' }],
      faults: [{ on: 2, fault: { kind: 'status', status: 400, message: words[wire] } }],
    });
    const { sessionId, end } = await say('Look at shot.png, after @b.png');
    expect(await end).toMatchObject(done);
    expect(gateway.requests.map(shownIn)).toEqual([
      ['image/png 320x200'],
      ['image/png 320x200', 'image/png 800x600'],
      ['image/png 320x200'],
    ]);
    const [refused] = only(events(sessionId), 'images.refused');
    const read = only(events(sessionId), 'toolCall.finished')[0]?.images?.[0]?.archiveId;
    expect(refused).toMatchObject({ images: [read], reason: words[wire] });
    expect(textIn(gateway.requests[2])).toContain(`not sent, as the provider refused it: ${words[wire]}]`);
    await say('Still there?', { sessionId });
    while (only(events(sessionId), 'turn.finished').length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(only(events(sessionId), 'images.refused')).toHaveLength(1);
    expect(shownIn(gateway.requests[3])).toEqual(['image/png 320x200']);
    expect(runner.readCost(sessionId, true).changes).toMatchObject([
      { kind: 'imagesRefused', says: 'the provider refused an image, named from here on' },
    ]);
  },
);

test('where what is new is not to blame, all images go; where none is left, the refusal ends the turn', async () => {
  const refuse = (on: number) => ({
    on,
    fault: { kind: 'status', status: 400, message: 'Could not process image' } as const,
  });
  const { say, gateway, events } = await open({
    steps: [{ text: 'Seen.' }],
    faults: [refuse(2), refuse(3), refuse(4)],
  });
  const { sessionId, end } = await say('Look at @shot.png');
  expect(await end).toMatchObject(done);
  await say('And at @b.png', { sessionId });
  while (only(events(sessionId), 'turn.finished').length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(gateway.requests.map(shownIn)).toEqual([
    ['image/png 800x600'],
    ['image/png 800x600', 'image/png 320x200'],
    ['image/png 800x600'],
    [],
  ]);
  expect(only(events(sessionId), 'turn.finished')[1]).toMatchObject({
    outcome: 'failed',
    failure: { code: 'provider_image_refused', message: 'Could not process image. Trying again cannot help.' },
  });
});

test('where the images of a request weigh too much together, they go in place of a summary', async () => {
  const heavy = (of: Buffer) => Buffer.concat([of, Buffer.alloc(4_000_000)]);
  const { say, gateway, events } = await open(
    {
      steps: [{ text: 'Seen.' }, { text: 'Without the last.' }],
      faults: [
        {
          on: 2,
          fault: {
            kind: 'status',
            status: 413,
            type: 'request_too_large',
            message: 'Request exceeds the maximum size',
          },
        },
      ],
    },
    { 'a.png': heavy(shot), 'b.png': heavy(other), 'c.png': heavy(png(64, 64)) },
  );
  const { sessionId, end } = await say('Look at @a.png and @b.png');
  await end;
  await say('And at @c.png', { sessionId });
  while (only(events(sessionId), 'turn.finished').length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(gateway.requests.map((request) => shownIn(request).length)).toEqual([2, 3, 2]);
  expect(only(events(sessionId), 'images.refused')).toMatchObject([{ reason: 'Request exceeds the maximum size' }]);
  expect(only(events(sessionId), 'context.compacted')).toEqual([]);
});

test.each<[string, Buffer, string]>([
  [
    'broken',
    shot.subarray(0, 300),
    'bad.png is broken: it begins as a PNG image, and not all of one is there. Make it again.',
  ],
  [
    'too large',
    png(8_001, 1),
    'bad.png is too large to be shown: 8001x1, the limit is 8000 pixels a side. zerd does not scale images: make a smaller one, or show a part of it.',
  ],
])('an image that is %s is refused with its message, and the model is told when it reads it', async (_, bytes, why) => {
  const step = { calls: [{ name: 'read', input: { path: 'bad.png' } }] };
  const { say, gateway, events, rows } = await open({ steps: [step, { text: 'I see.' }] }, { 'bad.png': bytes });
  await expect(say('Look at @bad.png')).rejects.toThrow(`${why} Nothing of the message was kept.`);
  await expect(say('Look', { images: [{ name: 'bad.png', data: bytes.toString('base64') }] })).rejects.toThrow(why);
  for (const { sessionId } of rows())
    expect(events(sessionId).map(({ event }) => event.kind)).toEqual(['session.created']);
  const { sessionId, end } = await say('Look at it');
  await end;
  expect(only(events(sessionId), 'toolCall.finished')).toMatchObject([{ outcome: 'failed', shown: why }]);
  expect(gateway.requests.map(shownIn)).toEqual([[], []]);
});

test('an image that is both sent and named is shown once, and a name cannot end its line', async () => {
  const { say, events, gateway } = await open({ steps: [{ text: 'One.' }] });
  const images = [{ name: 'a\nb]\t.png', data: shot.toString('base64') }];
  const { sessionId, end } = await say('Look at @shot.png', { images });
  await end;
  expect(submitted(events(sessionId))[0]?.images?.map(({ name }) => name)).toEqual(['a b] .png']);
  expect(shownIn(gateway.requests[0])).toEqual(['image/png 800x600']);
});

test('what is no image, too many or too much is refused before anything is kept', async () => {
  const { say } = await open();
  const image = { name: 'a.png', data: other.toString('base64') };
  const heavy = { name: 'h.png', data: Buffer.concat([other, Buffer.alloc(4_000_000)]).toString('base64') };
  await expect(say('Look', { images: [{ name: 'a.txt', data: 'aGVsbG8=' }] })).rejects.toThrow(
    'a.txt is no image that models are shown: PNG, JPEG, GIF and WebP are. Nothing of the message was kept.',
  );
  await expect(say('Look', { images: Array.from({ length: 21 }, () => image) })).rejects.toThrow(
    '20 at once are the limit',
  );
  await expect(say('Look', { images: [heavy, heavy, heavy] })).rejects.toThrow('10,000,000 bytes are the limit');
});

test('a text that names what is no image, is not there or lies outside is said as it is', async () => {
  const { say, events } = await open({ steps: [{ text: 'Fine.' }] }, { 'a.ts': Buffer.from('text') });
  const { sessionId, end } = await say('See @a.ts, @missing.png, @../x.png, @/etc/passwd and @.');
  await end;
  expect(submitted(events(sessionId))[0]?.images).toBeUndefined();
});

test('what is said in advance brings its images, also when it is changed or said to the running turn', async () => {
  let release = () => {};
  const begins = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { say, runner, env, events, gateway } = await open({
    steps: [{ text: 'Working.', begins }, { text: 'One.' }, { text: 'Two.' }],
  });
  const { sessionId } = await say('Begin');
  const turnId = only(events(sessionId), 'turn.started')[0]?.turnId;
  if (turnId === undefined) throw new Error('no turn');
  await runner.steer({ env, sessionId, expectedTurnId: turnId, text: 'Mind @b.png', trust: true });
  const pasted = [{ name: 'pasted.png', data: png(10, 10).toString('base64') }];
  const { promptId } = await runner.queue({ env, sessionId, text: 'Then @shot.png', images: pasted, trust: true });
  await runner.changePrompt({ sessionId, promptId, text: 'Then nothing' });
  release();
  while (only(events(sessionId), 'turn.finished').length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  const names = submitted(events(sessionId)).map(({ text, images = [] }) => [text, images.map(({ name }) => name)]);
  expect(names).toEqual([
    ['Begin', []],
    ['Mind @b.png', ['b.png']],
    ['Then nothing', ['pasted.png']],
  ]);
  expect(shownIn(gateway.requests.at(-1))).toEqual(['image/png 320x200', 'image/png 10x10']);
});

test('an image whose body is gone from the archive is named, and the session goes on', async () => {
  const { say, gateway, events, store } = await open({ steps: [{ text: 'Seen.' }, { text: 'Gone.' }] });
  const { sessionId, end } = await say('Look at @shot.png');
  await end;
  const id = submitted(events(sessionId))[0]?.images?.[0]?.archiveId ?? '';
  const body = await store.archive.locate(id);
  rmSync(body?.file ?? '');
  await say('Again', { sessionId });
  while (only(events(sessionId), 'turn.finished').length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(gateway.requests.map(({ refusal }) => refusal)).toEqual([null, null]);
  expect(shownIn(gateway.requests[1])).toEqual([]);
  expect(textIn(gateway.requests[1])).toContain(`[image ${id.slice(0, 12)}: its bytes are no longer in the archive]`);
});

test('an image is shown again by the id of its bytes, also when its file is gone', async () => {
  const id = () => submitted(scene.events(scene.rows()[0]?.sessionId as SessionId))[0]?.images?.[0]?.archiveId ?? '';
  const { say, gateway, events } = await open({
    player: ({ messages }) =>
      messages.length === 1 ? { calls: [{ name: 'recall', input: { id: id() } }] } : { text: 'There it is.' },
    modelFacts: { images: true },
  });
  const { sessionId, end } = await say('Look at @shot.png');
  await end;
  // It is in the prompt still: it is pointed at.
  expect(only(events(sessionId), 'toolCall.finished')[0]?.shown).toContain(
    '[it is the image of the message of the user, above]',
  );
  expect(shownIn(gateway.requests[1])).toHaveLength(1);
});

test('an image leaves the prompt like any old result, and comes back by the id that stands in its place', async () => {
  const shownBy = /recall ([0-9a-f]{12}) shows it again/;
  const { say, gateway, events } = await open(
    {
      config: { context: { relief: 'every', window: 1 } },
      player: (view) => {
        const calls = view.messages.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'call')).length;
        const id = shownBy.exec(JSON.stringify(view.messages))?.[1];
        if (calls === 0) return readShot;
        if (id !== undefined && calls < 8) return { calls: [{ name: 'recall', input: { id } }], text: 'Again.' };
        return calls < 6 ? { calls: [{ name: 'read', input: { path: 'a.txt', offset: calls } }] } : { text: 'Done.' };
      },
      files: { 'a.txt': 'line\n'.repeat(3_000) },
    },
    { 'shot.png': png(1_500, 1_500) },
  );
  const { sessionId, end } = await say('Look');
  await end;
  const trimmed = gateway.requests.findIndex((request) => shownBy.test(textIn(request)));
  expect(shownIn(gateway.requests[trimmed])).toEqual([]);
  expect(shownIn(gateway.requests[trimmed + 1])).toEqual(['image/png 1500x1500']);
  const [trim] = only(events(sessionId), 'context.trimmed');
  expect(trim?.predicted.cut).toBeGreaterThan(1_400);
});

test('what was sent is told without the bytes of images, block by block, with their tokens in the forecast', async () => {
  const { say, runner, gateway } = await open({ steps: [readShot, { text: 'Seen.' }] });
  const { sessionId, end } = await say('Look');
  await end;
  const { body, outline } = runner.contextBody(sessionId, undefined);
  expect(body).not.toContain(shot.toString('base64').slice(0, 40));
  expect(body).toMatch(/"data":"archive:[0-9a-f]+"/);
  const blocks = outline?.messages.flatMap((message) => message.blocks) ?? [];
  expect(blocks.find(({ kind }) => kind === 'toolResult')?.bytes).toBeGreaterThan(shot.length);
  expect(gateway.requests[1]?.tokens.total).toBeGreaterThan((gateway.requests[0]?.tokens.total ?? 0) + 600);
  const carried = runner.readCost(sessionId, true).carried ?? [];
  expect(JSON.stringify(carried)).toContain('shot.png');
});

test('the file itself is untouched', async () => {
  const { say } = await open({ steps: [readShot] });
  await (await say('Look')).end;
  expect(readFileSync(join(scene.root, 'shot.png'))).toEqual(shot);
});
