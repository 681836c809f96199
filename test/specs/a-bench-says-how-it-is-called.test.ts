import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const benches = Object.entries(scripts).flatMap(([name, line]) => {
  const program = /&& node (packages\/simulator\/dist\/bench\/\S+)$/.exec(line)?.[1];
  return name.startsWith('bench:') && program !== undefined ? [[name, program] as const] : [];
});

async function called(program: string, option: string) {
  const child = spawn(process.execPath, [program, option], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code: code as number };
}

test('there are benches', () => expect(benches.length).toBeGreaterThan(10));

test.each(benches)('%s answers --help, and an option that it does not know, with one line', async (name, program) => {
  const line = expect.stringMatching(new RegExp(`^Usage: npm run -s ${name} -- .+\n$`));
  expect(await called(program, '--help')).toEqual({ out: line, err: '', code: 0 });
  expect(await called(program, '--bogus')).toEqual({ out: '', err: line, code: 2 });
});
