/** Every example of docs/scripts.md is run as it stands there, in its order, and prints what the page says it prints. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Step } from '@zerd/simulator/players/player';
import type { RequestView } from '@zerd/simulator/view/request-view';
import { inHouse } from '../support/house.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/scripts.md'), 'utf8');

interface Example {
  readonly line: number;
  readonly script: string;
  /** What the page shows behind it; undefined: nothing. */
  readonly prints: string | undefined;
}

function examplesOf(text: string): readonly Example[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms)];
  return blocks.map(({ index, 1: script = '', 2: prints }) => ({
    line: text.slice(0, index).split('\n').length,
    script,
    prints,
  }));
}

/** A model that knows the prompts of the page; tests are run with a command, then told. */
function answer({ messages }: RequestView): Step {
  const texts = messages.flatMap(({ role, parts }) =>
    role === 'user' ? parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])) : [],
  );
  const said = texts.join('\n');
  const hasRun = messages.at(-1)?.parts.some((part) => part.kind === 'result') === true;
  if (said.includes('Which word')) return { text: /the word (\w+)/.exec(said)?.[1] ?? 'none' };
  if (said.includes('Go on.') || (said.includes('Run the tests.') && hasRun)) return { text: 'All tests pass.' };
  if (said.includes('Run the tests.')) return { calls: [{ name: 'shell', input: { command: 'test -s README.md' } }] };
  return { text: said.includes('README.md') ? 'It is a small repository.' : 'Noted.' };
}

test('the examples of the page run as pasted', async () => {
  const examples = examplesOf(page);
  expect(examples.length).toBe(page.match(/^```sh$/gm)?.length);
  expect(examples.length).toBeGreaterThan(10);
  const bin = mkdtempSync(join(tmpdir(), 'zerd-bin-'));
  try {
    for (const name of ['zerd', 'zerdd']) symlinkSync(join(root, `packages/cli/bin/${name}.js`), join(bin, name));
    const env = { PATH: `${bin}:${process.env.PATH ?? '/usr/bin:/bin'}` };
    await inHouse({ player: answer, env }, async (house) => {
      for (const { line, script, prints } of examples) {
        const { code, stdout, stderr } = await house.shell(script, house.repository, []);
        const ended = { line, code, stderr, stdout };
        expect(ended).toEqual({ ...ended, code: 0, stdout: prints ?? stdout });
      }
    });
  } finally {
    rmSync(bin, { recursive: true });
  }
}, 120_000);
