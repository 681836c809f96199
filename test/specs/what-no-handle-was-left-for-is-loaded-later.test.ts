import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { runProgram } from '../support/run-program.ts';

const root = resolve(import.meta.dirname, '../..');

/** Opens all that may be opened, wants the HTTP client and the search index, closes them, and wants them again. */
const program = `
  import { closeSync, openSync } from 'node:fs';
  const { loadLate } = await import(process.argv[1]);
  const places = process.argv.slice(2);
  const loads = places.map((place) => loadLate(() => import(place)));
  const want = (load) => load().then(() => 'loaded', ({ code }) => code);
  const handles = [];
  try { for (;;) handles.push(openSync('/dev/null')); } catch {}
  const full = await Promise.all(loads.map(want));
  handles.forEach((handle) => closeSync(handle));
  console.log(JSON.stringify([full, await Promise.all(loads.map(want))]));
`;

test('what was wanted while no file could be opened is loaded when it can be, in the same process', async () => {
  const places = ['protocol/dist/node/load-late.js', 'packages/daemon/dist/search/index/open-index.js'];
  const [helper, index] = places.map((place) => join(root, place));
  const line = 'ulimit -n 256; exec "$0" --input-type=module -e "$@"';
  const { code, stdout, stderr } = await runProgram(
    ['/bin/sh', '-c', line, process.execPath, program, helper ?? '', index ?? '', 'undici'],
    { cwd: root, env: { PATH: process.env.PATH ?? '' } },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual([
    ['EMFILE', 'EMFILE'],
    ['loaded', 'loaded'],
  ]);
});
