/**
 * Images from the command line, from an editor and from a prompt that names one, over the built programs: the model sees
 * each, the log names it, and what people read says what it is.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openEditor } from '../support/editor.ts';
import { type Config, type House, inHouse } from '../support/house.ts';
import { png } from '../support/images.ts';

const seeing = (usual: Config) => ({
  ...usual,
  providers: {
    sim: { ...usual.providers.sim, models: usual.providers.sim.models.map((one) => ({ ...one, images: true })) },
  },
});

/** The sizes of the images of the newest request. */
function shown({ gateway }: House): readonly string[] {
  const parts = gateway.requests.at(-1)?.conversation.messages.flatMap((message) => message.parts) ?? [];
  return parts.flatMap((part) => {
    const head = part.kind === 'image' ? Buffer.from(part.data, 'base64') : undefined;
    return head === undefined ? [] : [`${head.readUInt32BE(16)}x${head.readUInt32BE(20)}`];
  });
}

test('the command line shows one from outside the repository and one that is named, and what people read tells of both', async () => {
  await inHouse({ config: seeing, steps: [{ text: 'Two pictures.' }] }, async (house) => {
    await house.zerd(['trust']);
    const outside = join(house.home, 'outside.png');
    writeFileSync(outside, png(300, 200));
    writeFileSync(join(house.repository, 'inside.png'), png(120, 80));
    const ran = await house.zerd(['run', '--image', outside, 'Compare it with @inside.png']);
    expect([ran.code, ran.stdout]).toEqual([0, 'Two pictures.\n']);
    expect(shown(house)).toEqual(['300x200', '120x80']);
    const exported = await house.zerd(['export']);
    expect(exported.stdout).toMatch(
      /\[image \S*outside\.png 300x200, 1 kB, ~88 tokens\]\n\[image inside\.png 120x80, 1 kB, ~15 tokens\]/,
    );
    expect((await house.zerd(['context'])).stdout).toMatch(/image\s+.*inside\.png, 120x80 PNG, 1 kB/);
    const refused = await house.zerd(['run', '--image', 'README.md', 'Look']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('README.md is no image that models are shown: PNG, JPEG, GIF and WebP are.');
  });
});

test('an editor may paste one, and is told so when it connects', async () => {
  await inHouse({ config: seeing, steps: [{ text: 'A picture.' }] }, async (house) => {
    await house.zerd(['trust']);
    const editor = await openEditor(house);
    try {
      const { sessionId } = await editor.agent.request('session/new', { cwd: house.repository, mcpServers: [] });
      const image = { type: 'image' as const, mimeType: 'image/png', data: png(64, 32).toString('base64') };
      const prompt = [{ type: 'text' as const, text: 'What is it?' }, image];
      expect(await editor.agent.request('session/prompt', { sessionId, prompt })).toEqual({ stopReason: 'end_turn' });
      expect(shown(house)).toEqual(['64x32']);
      const broken = { ...image, data: png(64, 32).subarray(0, 50).toString('base64') };
      await expect(editor.agent.request('session/prompt', { sessionId, prompt: [broken] })).rejects.toThrow(
        'pasted png image is broken: it begins as a PNG image, and not all of one is there.',
      );
    } finally {
      await editor.close();
    }
  });
});
