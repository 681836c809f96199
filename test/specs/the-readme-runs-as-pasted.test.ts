/** What the README tells a user to type works, line by line, and its configuration is one. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type House, inHouse } from '../support/house.ts';
import { runProgram } from '../support/run-program.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The blocks of a language in the section with this heading. */
function blocks(heading: string, language: string): readonly string[] {
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);
}

/** `zerd` and `zerdd` as the section "Install" puts them on the path. */
function pathWithPrograms(house: House): string {
  const bin = join(house.home, 'bin');
  mkdirSync(bin);
  for (const name of ['zerd', 'zerdd']) symlinkSync(join(root, `packages/cli/bin/${name}.js`), join(bin, name));
  return `${bin}:${house.env.PATH}`;
}

test('every command of "Use" ends well, in the order in which they stand', async () => {
  const lines = blocks('Use', 'sh').flatMap((block) => block.split('\n').filter(Boolean));
  expect(lines.length).toBeGreaterThan(10);
  await inHouse({}, async (house) => {
    const env = { ...house.env, PATH: pathWithPrograms(house) };
    for (const line of lines) {
      const { code, stderr } = await runProgram(['/bin/sh', '-c', line], { cwd: house.repository, env });
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
    }
  });
}, 120_000);

test('the configuration of "Models and providers" is read without a warning, and its model is the default', async () => {
  const [config] = blocks('Models and providers', 'json');
  if (config === undefined) throw new Error('the README shows no configuration');
  await inHouse({ config }, async (house) => {
    const { code, stdout } = await house.zerd(['rpc', 'config/read']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ model: 'local/some-model', warnings: [] });
    const run = await house.zerd(['run', '--trust', 'hello']);
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('LOCAL_API_KEY') });
  });
});
